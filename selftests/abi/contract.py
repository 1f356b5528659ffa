#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Turns the contracts in assembly sources into a C table, on standard output.

    contract.py --symbols symbols.txt --table cores ../../asm/*.S

symbols.txt is what `nm --defined-only` says of the objects: every global function in them is an
entry and has a contract, and every contract has its entry. asm/README.md has the keys.
"""
import argparse
import re
import sys

# A caller that asks for more blocks than this learns nothing new.
BLOCKS = 40

KEYS = {"Name", "Description", "Signature", "Requires", "Registers", "Clobbers", "Preserves",
        "Stack", "ConstantTime", "Notes"}
OPTIONAL = {"Requires", "Notes"}
PERMISSIONS = {"value", "read-only", "read/write"}

# In the order of struct registers.
CORE = [f"r{i}" for i in range(13)] + ["sp", "lr", "flags", "fpscr"]
NEON = [f"d{i}" for i in range(32)]


class Wrong(Exception):
    """A contract that cannot be followed."""


def split(text):
    """The parts of "a, b: "c, d"", cut at commas outside quotes."""
    return [part.strip() for part in re.findall(r'(?:"[^"]*"|[^,"])+', text)]


def pair(text):
    key, colon, value = text.partition(":")
    if not colon or (value and value[0] != " "):
        raise Wrong(f"'{text}' is not 'key: value'")
    return key.strip(), value.strip()


def mapping(pairs):
    result = {}
    for key, value in pairs:
        if key in result:
            raise Wrong(f"{key} is given twice")
        result[key] = value
    return result


def value(text):
    """A scalar, [list] or {map}; scalars stay text."""
    if text[:1] == "[" and text[-1:] == "]":
        return split(text[1:-1])
    if text[:1] == "{" and text[-1:] == "}":
        return mapping((k, value(v)) for k, v in map(pair, split(text[1:-1])))
    if text[:1] in ("[", "{"):
        raise Wrong(f"'{text}' does not end on its line")
    return text.strip('"')


def nested(lines):
    """The value of a key that has nothing on its own line."""
    if all(line.startswith("- ") for line in lines):
        return [value(line[2:].strip()) for line in lines]
    return mapping((k, value(v)) for k, v in map(pair, lines))


def parse(block):
    """The subset of YAML in asm/README.md: two levels, the second one indented or in brackets."""
    groups = []
    for line in filter(str.strip, block.splitlines()):
        if not line.startswith(" "):
            groups.append((*pair(line.strip()), []))
        elif groups and not groups[-1][1]:
            groups[-1][2].append(line.strip())
        else:
            raise Wrong(f"'{line.strip()}' belongs to no key")
    return mapping((key, value(text) if text else nested(lines)) for key, text, lines in groups)


def registers(names):
    """The set that [r4-r6, sp] stands for."""
    result = set()
    for name in names:
        first, _, last = name.partition("-")
        kind = CORE if first in CORE else NEON
        if first not in kind or (last or first) not in kind:
            raise Wrong(f"'{name}' is no register or range")
        span = kind[kind.index(first):kind.index(last or first) + 1]
        if not span or result & set(span):
            raise Wrong(f"'{name}' is empty or given twice")
        result |= set(span)
    return result


def mask(names, kind):
    return sum(1 << i for i, name in enumerate(kind) if name in names)


def allowed(name, requires):
    """What Requires says of an argument: (least, None), (None, [choices]) or (None, None)."""
    for text in requires:
        at_least = re.match(rf"{name} >= (\d+)$", text)
        if at_least:
            return int(at_least[1]), None
        one_of = re.match(rf"{name} is ((?:\d+, )*\d+ or \d+)\b", text)
        if one_of:
            return None, [int(n) for n in re.findall(r"\d+", one_of[1])]
    return None, None


class Contract:
    def __init__(self, block):
        keys = parse(block)
        self.name = keys.get("Name", "?")
        try:
            self.read(keys)
        except (Wrong, KeyError, ValueError) as error:
            raise Wrong(f"contract of {self.name}: {error}") from error

    def read(self, keys):
        if KEYS - OPTIONAL - set(keys) or set(keys) - KEYS:
            raise Wrong(f"missing keys: {sorted(KEYS - OPTIONAL - set(keys))}, "
                        f"unknown keys: {sorted(set(keys) - KEYS)}")
        self.requires = keys.get("Requires", [])
        self.arguments = list(keys["Registers"].items())
        self.names = [argument["c_name"] for _, argument in self.arguments]
        self.stack = int(keys["Stack"]["bytes"])
        self.clobbers = registers(keys["Clobbers"])
        both = self.clobbers & registers(keys["Preserves"])
        if both:
            raise Wrong(f"both clobbered and preserved: {sorted(both)}")
        if "r0" not in self.clobbers:
            raise Wrong("r0 must be clobbered: stub.S needs a register after the call")
        self.check_signature(keys["Signature"])
        for _, argument in self.arguments:
            self.check_argument(argument)

    def check_signature(self, signature):
        found = re.fullmatch(r"void (\w+)\((.*)\)", signature)
        if not found or found[1] != self.name:
            raise Wrong(f"the signature is not that of a void {self.name}()")
        names = [re.sub(r"\[\d+\]$", "", p).split()[-1].lstrip("*") for p in split(found[2])]
        places = [f"r{i}" for i in range(len(names))]
        if names != self.names or places != [place for place, _ in self.arguments]:
            raise Wrong(f"the signature has the arguments {names}, Registers has {self.names}")

    def check_argument(self, argument):
        if argument["permission"] not in PERMISSIONS:
            raise Wrong(f"{argument['c_name']}: permission '{argument['permission']}' is not known")
        if argument["permission"] != "value":
            self.formula(argument["bytes"])
            if int(argument["alignment"]) not in (1, 2, 4, 8, 16):
                raise Wrong(f"{argument['c_name']}: not an alignment: {argument['alignment']}")

    def formula(self, text):
        """bytes as a C expression of the argument registers."""
        words = text.split()
        for word in words[::2]:
            if not word.isdigit() and word not in self.names:
                raise Wrong(f"bytes: '{word}' in '{text}' is neither a number nor an argument")
        if len(words) % 2 == 0 or set(words[1::2]) - {"*", "+"}:
            raise Wrong(f"bytes: '{text}' is not a formula of * and +")
        return " ".join(f"r[{self.names.index(w)}]" if w in self.names else w for w in words)

    def c_value(self, name):
        """C initialisers for what a value may be."""
        least, choices = allowed(name, self.requires)
        if choices:
            listed = ", ".join(map(str, choices))
            return f".choices = {{{listed}}}, .n_choices = {len(choices)}"
        counts = any(name in a.get("bytes", "").split() for _, a in self.arguments)
        most = (least or 0) + BLOCKS - 1 if counts else 0xffffffff
        return f".least = {least or 0}, .most = {most}u"

    def c_argument(self, argument):
        name = argument["c_name"]
        if argument["permission"] == "value":
            return f'{{.name = "{name}", {self.c_value(name)}}}'
        writable = int(argument["permission"] == "read/write")
        return (f'{{.name = "{name}", .bytes = {self.name}_{name}_bytes, '
                f'.alignment = {argument["alignment"]}, .writable = {writable}}}')

    def c_declarations(self):
        yield f"void {self.name}(void);\n"
        for _, argument in self.arguments:
            if argument["permission"] != "value":
                yield (f"static size_t {self.name}_{argument['c_name']}_bytes(const uint32_t *r)\n"
                       f"{{\n\t(void)r;\n\treturn {self.formula(argument['bytes'])};\n}}\n")

    def c_entry(self):
        arguments = ",\n\t\t".join(self.c_argument(a) for _, a in self.arguments)
        return (f'\t{{.name = "{self.name}", .entry = {self.name}, .stack = {self.stack},\n'
                f"\t .clobbers = {mask(self.clobbers, CORE):#x}, "
                f".neon_clobbers = {mask(self.clobbers, NEON):#x}u,\n"
                f"\t .arguments = {{\n\t\t{arguments}}}, "
                f".n_arguments = {len(self.arguments)}}},\n")


def blocks(source):
    return re.findall(r"^/\*yaml\n(.*?)^\*/$", source, re.M | re.S)


def entries(symbols):
    """The global functions in the output of nm."""
    return set(re.findall(r"^[0-9a-f]+ T (\S+)$", symbols, re.M))


def pair_up(contracts, symbols):
    names = [contract.name for contract in contracts]
    twice = {name for name in names if names.count(name) > 1}
    problems = [f"{n} has two contracts" for n in sorted(twice)]
    problems += [f"{n} has no contract" for n in sorted(entries(symbols) - set(names))]
    problems += [f"{n} has a contract and no code" for n in sorted(set(names) - entries(symbols))]
    if not names:
        problems.append("there is no contract in the sources")
    if problems:
        raise Wrong("; ".join(problems))


def table(name, contracts):
    text = "".join("".join(c.c_declarations()) for c in contracts)
    text += f"const struct contract {name}[] = {{\n"
    return text + "".join(c.c_entry() for c in contracts) + "\t{.name = NULL},\n};\n"


def read(path):
    with open(path) as file:
        return file.read()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("sources", nargs="+", help="assembly with /*yaml blocks")
    p.add_argument("--symbols", required=True, metavar="FILE", help="nm's view of the objects")
    p.add_argument("--table", required=True, metavar="NAME", help="the name of the C array")
    a = p.parse_args()
    try:
        contracts = [Contract(block) for path in a.sources for block in blocks(read(path))]
        pair_up(contracts, read(a.symbols))
    except Wrong as error:
        sys.exit(f"error: {error} (asm/README.md has the rules of a contract)")
    print(table(a.table, contracts), end="")


if __name__ == "__main__":
    main()
