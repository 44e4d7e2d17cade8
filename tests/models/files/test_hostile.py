"""Each manipulated file gives an error message with its name: no crash, no hang, no large allocation."""

import json
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from hedgerow.errors import ModelError
from hedgerow.models.files.model_file import dumps, loads
from tests.models.files.hostile import members, packed, resealed, with_array, with_manifest
from tests.models.rules.rule_lists import weather_rules
from tests.work import count_calls

MODEL = weather_rules()
FILE = dumps(MODEL)


def refusal(data):
    with pytest.raises(ModelError) as caught:
        loads(data, "m.hedge")
    return str(caught.value)


def refused(data, sentence, most=5e6):
    """Check that the file gives an error message with this text, in little time and memory."""
    messages = []
    tracemalloc.start()
    try:
        calls = count_calls(lambda: messages.append(refusal(data)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert calls < 20_000 + 5 * len(data)
    assert peak < most + 40 * len(data)
    (message,) = messages
    assert message.startswith("m.hedge ")
    assert sentence in message
    assert "\n" not in message
    assert len(message) < 500


def changed(**values):
    return with_manifest(MODEL, lambda manifest: manifest.update(values))


def renamed(old, new):
    return packed([(new if name == old else name, content) for name, content in members(FILE)])


def test_the_helpers_make_files_that_load():
    assert loads(packed(members(FILE))) == MODEL
    assert loads(with_manifest(MODEL, dict)) == MODEL
    assert loads(with_array(MODEL, "weights", MODEL.to_dict()["weights"])) == MODEL


def test_not_a_model_file():
    refused(b"", "is empty")
    refused(b"name,age\n", "is not a hedgerow model file")
    refused(packed([("other.json", b"{}")]), "is not a hedgerow model file")
    refused(packed([("manifest.json", b'{"format": "pie"}')]), "is not a hedgerow model file")
    refused(b"PK\x03\x04" + b"\0" * 26 + b"manifest.json", "is damaged")


def test_a_damaged_file_says_so():
    refused(FILE[:-1], "is damaged: its checksum does not match")
    refused(FILE + b"x", "is damaged")
    refused(FILE[:100] + b"?" + FILE[101:], "is damaged")


def test_a_newer_format():
    newer = "was written by a newer hedgerow (format 2; this one reads up to 1): update hedgerow"
    refused(changed(version=2), newer)
    refused(
        packed([("manifest.json", b'{"format": "hedgerow-model", "version": 2, "new": 1}'), ("x", b"")]),
        newer,
    )


@pytest.mark.parametrize("version", ["1", 1.0, True, 0, -1, None, [1]])
def test_a_version_that_is_no_version(version):
    refused(changed(version=version), "its version is not a positive whole number")


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    pairs = members(FILE)
    refused(packed([*pairs[:-1], (pairs[-1][0], bytes(50_000_000))]), "claims a decompressed size of 50,000,000 bytes")
    refused(packed([("manifest.json", b" " * 40_000_000)]), "claims a decompressed size of")
    noise = np.random.default_rng(0).bytes(600_000) + bytes(40_000_000)
    refused(packed([("manifest.json", noise)]), "its manifest is larger than")


def test_a_member_that_claims_to_be_small_is_unpacked_no_further():
    """Headers say 1000 bytes, the stream holds 50 million."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = stream.compress(bytes(50_000_000)) + stream.flush()
    name, crc = b"manifest.json", zlib.crc32(bytes(1000))
    common = struct.pack("<HHHHLLLHH", 0, 8, 0, 33, crc, len(bomb), 1000, len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<H", 20) + common + name + bomb
    entry = b"PK\x01\x02" + struct.pack("<HH", 20, 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(entry), len(local), 64)
    refused(resealed(local + entry + end + b"0" * 64), "is not a valid hedgerow model file")


@pytest.mark.parametrize("name", ["/etc/passwd", "../a0.npy", "arrays/../a0.npy", "arrays/a00.npy", "C:\\a0", "a0"])
def test_a_member_elsewhere(name):
    refused(renamed("arrays/a0.npy", name), "does not belong there")


def test_members_too_many_too_few_or_twice():
    pairs = members(FILE)
    refused(packed(pairs[:-1]), "its manifest names more arrays than it holds")
    refused(packed([*pairs, ("arrays/a8.npy", pairs[1][1])]), "arrays that its manifest does not name")
    refused(packed([*pairs, ("evil.py", b"boo")]), "its member 'evil.py' does not belong there")
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = packed([*pairs, pairs[0]])
    refused(twice, "its member 'manifest.json' does not belong there")


def test_bytes_between_the_members():
    table = FILE.index(b"PK\x01\x02")
    refused(resealed(FILE[:table] + b"hidden" + FILE[table:]), "is not a valid hedgerow model file")


def test_other_ways_to_pack():
    refused(packed(members(FILE), zipfile.ZIP_LZMA), "compressed or encrypted in an unknown way")


def test_encrypted_members():
    table = FILE.index(b"PK\x01\x02")
    refused(resealed(FILE[: table + 8] + b"\1" + FILE[table + 9 :]), "compressed or encrypted in an unknown way")


def test_absurd_array_sizes_are_refused_before_anything_is_allocated():
    for shape in ([10**11], [10**9, 10**9], [0, 10**12], [2**63], [2**31, 2]):

        def enlarge(manifest, shape=shape):
            manifest["parts"]["weights"]["shape"] = shape

        refused(with_manifest(MODEL, enlarge), "its array a7")


@pytest.mark.parametrize("shape", [None, "5", [-1], [1.0], [True, 15], [1] * 9, [[5]], {}])
def test_shapes_that_are_none(shape):
    def change(manifest):
        manifest["parts"]["weights"]["shape"] = shape

    refused(with_manifest(MODEL, change), "its array a7")


@pytest.mark.parametrize("dtype", ["object", "|O", "float32", "str", "<f8", None, 8, ["float64"]])
def test_types_that_no_array_may_have(dtype):
    def change(manifest):
        manifest["parts"]["weights"]["dtype"] = dtype

    refused(with_manifest(MODEL, change), "its array a7 is of the type")


def test_a_pickled_array_is_never_opened():
    weights = MODEL.to_dict()["weights"]
    right = members(FILE)[8][1]
    pickled = right.replace(b"'<f8'", b"'|O8'")[: len(right)]
    refused(with_array(MODEL, "weights", weights, pickled), "the header of its array a7 does not match")


def test_a_header_that_lies():
    right = members(FILE)[8][1]
    liar = right.replace(b"(5, 3)", b"(3, 5)")
    refused(with_array(MODEL, "weights", MODEL.to_dict()["weights"], liar), "the header of its array a7")


def test_truth_values_are_0_or_1():
    odd = np.array([2] * 15, dtype=np.uint8).view(np.bool_).reshape(5, 3)
    refused(with_array(MODEL, "weights", odd), "a truth value that is neither 0 nor 1")


def test_deep_nesting():
    deep = b"[" * 100_000 + b"]" * 100_000
    manifest = members(FILE)[0][1].replace(b'"parameters":{', b'"parameters":{"x":' + deep + b",")
    refused(packed([("manifest.json", manifest), *members(FILE)[1:]], zipfile.ZIP_STORED), "nested too deeply")
    nest = json.loads("[" * 60 + "]" * 60)
    refused(with_manifest(MODEL, lambda m: m["about"]["parameters"].update(x=nest)), "nested too deeply")


def test_a_manifest_of_brackets():
    refused(packed([("manifest.json", b"[" + b"[]," * 2_000_000 + b"[]]")], zipfile.ZIP_STORED), "too large")


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{'a': 1}", b'"x"', b"1" * 5000])
def test_manifests_that_are_none(text):
    refused(with_manifest(MODEL, lambda _: text or b" "), "hedgerow model file")


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_numbers_that_json_does_not_have(word):
    manifest = members(FILE)[0][1].replace(b'"weight":5.0', b'"weight":' + word)
    refused(packed([("manifest.json", manifest), *members(FILE)[1:]]), "its manifest holds")


def test_a_name_given_twice():
    manifest = members(FILE)[0][1].replace(b'"kind":"rules"', b'"kind":"rules","kind":"rules"')
    refused(packed([("manifest.json", manifest), *members(FILE)[1:]]), "its manifest contains a name twice")


@pytest.mark.parametrize("kind", ["bush", "os.system", "RuleList", "", None, 1, ["rules"], {"rules": 1}])
def test_unknown_kinds(kind):
    refused(changed(kind=kind), "unknown kind")


def test_keys_too_many_or_too_few():
    refused(changed(more=1), "its manifest holds")
    refused(with_manifest(MODEL, lambda m: {k: m[k] for k in m if k != "about"}), "its manifest holds")


@pytest.mark.parametrize("value", [None, [], {}, "x", 3, {"columns": None}, {"columns": [3]}, {"columns": {}}])
def test_schemas_that_are_none(value):
    refused(changed(schema=value), "is not a valid hedgerow model file: ")


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ({"name": "Play", "kind": "numeric"}, "occurs twice"),
        ({"name": 3, "kind": "numeric"}, "name"),
        ({"name": "n", "kind": "odd"}, "unknown kind"),
        ({"name": "n", "kind": ["numeric"]}, "kind"),
        ({"name": "n", "kind": "nominal", "levels": ["a", "a"]}, "lists a level twice"),
        ({"name": "n", "kind": "nominal", "levels": [1]}, "levels"),
        ({"name": "n", "kind": "nominal", "levels": "abc"}, "levels"),
        ({"name": "n", "kind": "numeric", "ordered": "no"}, "unexpected values"),
        ({"name": "n", "kind": "numeric", "levels": ["a"]}, "unexpected values"),
        ({"name": "n", "kind": "numeric", "spell": 1}, "unexpected values"),
        ({"name": "n", "kind": "numeric", "date": 3}, "date format"),
        ({"name": "n", "kind": "bag"}, "inner"),
        ({"name": "n", "kind": "bag", "inner": {"columns": 3}}, "its schema cannot be understood"),
        ({"name": ["n"], "kind": "numeric"}, "its schema cannot be understood"),
    ],
)
def test_columns_that_are_none(column, sentence):
    refused(with_manifest(MODEL, lambda m: m["schema"]["columns"].append(column)), sentence)


def test_targets_that_are_none():
    for target in (3, ["Play"], {}, "Plai", "Humidity", None):
        refused(with_manifest(MODEL, lambda m, t=target: m["schema"].update(target=t)), "m.hedge is not a valid")


def test_a_million_columns_or_endless_names_do_not_hang():
    many = [{"name": f"c{i}", "kind": "numeric"} for i in range(100_000)]
    wide = changed(schema={"columns": [*many, many[-1]], "target": "c1"})
    refused(wide, "a column's name occurs twice", most=60e6)
    long = [{"name": "ab" * 100_000, "kind": "numeric"}]
    values = json.loads(members(FILE)[0][1]) | {"schema": {"columns": long, "target": "ba" * 100_000}}
    manifest = ("manifest.json", json.dumps(values).encode())
    refused(packed([manifest, *members(FILE)[1:]], zipfile.ZIP_STORED), "the target is not among the columns")


@pytest.mark.parametrize(
    ("key", "value"),
    [("learner", 3), ("learner", None), ("parameters", []), ("parameters", {"a": {"array": "a0"}}),
     ("rows", 1.5), ("rows", -1), ("rows", True), ("weight", "5"), ("weight", -1), ("weight", True),
     ("weight", {"number": "nan"}), ("weight", 10**400), ("notes", "abc"), ("notes", [3]), ("notes", None),
     ("more", 1)],
)  # fmt: skip
def test_accounts_that_are_none(key, value):
    refused(
        with_manifest(MODEL, lambda m: m["about"].update({key: value})),
        "is not a valid hedgerow model file: ",
    )


@pytest.mark.parametrize("value", [None, [], "x", 3, {"number": "inf"}, {"number": "1"}, {"number": ["inf"]}])
def test_parts_that_are_none(value):
    refused(changed(parts=value), "is not a valid hedgerow model file: ")


@pytest.mark.parametrize("part", sorted(MODEL.to_dict()))
@pytest.mark.parametrize("value", [None, 1, "x", [], [1.0], {}, {"array": "a0"}, {"array": "a99"}, {"array": []}])
def test_every_part_must_be_its_array(part, value):
    refused(
        with_manifest(MODEL, lambda m: m["parts"].update({part: value})),
        "is not a valid hedgerow model file: ",
    )


@pytest.mark.parametrize("part", sorted(MODEL.to_dict()))
def test_every_part_must_be_of_its_type_and_length(part):
    right = MODEL.to_dict()[part]
    wrong = np.dtype(np.int64) if right.dtype != np.int64 else np.dtype(np.int32)
    refused(with_array(MODEL, part, right.astype(wrong)), f"its part {part!r} holds int64")
    refused(with_array(MODEL, part, right[:-1].copy()), "its part '")
    refused(with_array(MODEL, part, right[:0].copy()), "its part '")
    refused(with_array(MODEL, part, right.reshape(*right.shape, 1)), f"its part {part!r} has the shape")


@pytest.mark.parametrize(
    ("part", "at", "value", "sentence"),
    [
        ("columns", 0, -1, "outside 0 to 3"),
        ("columns", 0, 4, "outside 0 to 3"),
        ("columns", 0, 3, "which is the class to predict"),
        ("columns", 0, 1, "a level that column 'Humidity' does not have"),
        ("operators", 0, 9, "outside 0 to 8"),
        ("operators", 0, 3, "lacks the value that '<=' needs"),
        ("operators", 1, 0, "lacks the value that '=' needs"),
        ("operators", 7, 2, "lacks the value that 'in' needs"),
        ("thresholds", 1, np.nan, "finite number"),
        ("thresholds", 1, np.inf, "finite number"),
        ("thresholds", 0, 1.0, "lacks the value that '=' needs"),
        ("level_starts", 1, 9, "does not ascend from"),
        ("level_starts", 0, 1, "does not ascend from"),
        ("level_starts", -1, 2**31 - 1, "does not ascend from"),
        ("level_starts", 1, -5, "does not ascend from"),
        ("levels", 0, 3, "a level that column 'Outlook' does not have"),
        ("levels", 0, -1, "a level that column 'Outlook' does not have"),
        ("levels", 1, 1, "needs different levels"),
        ("rule_starts", 1, -1, "does not ascend from"),
        ("rule_starts", -1, 5, "does not ascend from"),
        ("rule_starts", 1, 0, "rule 1 has no conditions"),
        ("decisions", 0, 3, "outside 0 to 2"),
        ("decisions", 0, -1, "outside 0 to 2"),
        ("weights", (0, 0), np.nan, "not finite"),
        ("weights", (0, 0), -1.0, "a negative weight"),
        ("weights", (0, 0), np.inf, "not finite"),
        ("weights", (0, 0), 1e305, "must be finite numbers"),
    ],
)
def test_values_out_of_range(part, at, value, sentence):
    array = MODEL.to_dict()[part].copy()
    array[at] = value
    refused(with_array(MODEL, part, array), sentence)


def test_a_list_too_long_to_be_read():
    columns = np.random.default_rng(0).integers(0, 2, 1_000_001).astype(np.int32)
    refused(with_array(MODEL, "columns", columns), "a rule list may have at most 1,000,000 conditions")
