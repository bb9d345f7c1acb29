"""The protocol buffer messages of a SentencePiece file, with the fields that this site reads or writes.

Field numbers follow `sentencepiece_model.proto`; other fields are ignored. Strings are declared as bytes and enums as
integers, so that a string that is not UTF-8 or an unknown enum value gets an error message of its own. The messages
have a package name of their own, so that they do not clash with SentencePiece's when both are loaded.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

PACKAGE = "tokenscope"

# name: (number, type, default)
_FIELDS: dict[str, dict[str, tuple[int, str, str]]] = {
    "SentencePiece": {"piece": (1, "BYTES", ""), "score": (2, "FLOAT", "0"), "type": (3, "INT32", "1")},
    "TrainerSpec": {
        "model_type": (3, "INT32", "1"),
        "vocab_size": (4, "INT32", "8000"),
        "treat_whitespace_as_suffix": (24, "BOOL", "false"),
        "byte_fallback": (35, "BOOL", "false"),
        "unk_id": (40, "INT32", "0"),
        "unk_surface": (44, "BYTES", ""),
        "unk_piece": (45, "BYTES", "<unk>"),
    },
    "NormalizerSpec": {
        "precompiled_charsmap": (2, "BYTES", ""),
        "add_dummy_prefix": (3, "BOOL", "true"),
        "remove_extra_whitespaces": (4, "BOOL", "true"),
        "escape_whitespaces": (5, "BOOL", "true"),
    },
    "ModelProto": {
        "pieces": (1, "SentencePiece", ""),
        "trainer_spec": (2, "TrainerSpec", ""),
        "normalizer_spec": (3, "NormalizerSpec", ""),
        "self_test_data": (4, "BYTES", ""),
        "denormalizer_spec": (5, "NormalizerSpec", ""),
    },
}


def _declared() -> FileDescriptorProto:
    file = FileDescriptorProto(name="tokenscope/sentencepiece.proto", package=PACKAGE, syntax="proto2")
    for message, fields in _FIELDS.items():
        declared = file.message_type.add(name=message)
        for name, (number, kind, default) in fields.items():
            field = declared.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
            if kind in _FIELDS:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{kind}"
            else:
                field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind}")
                field.default_value = default
            if name == "pieces":
                field.label = FieldDescriptorProto.LABEL_REPEATED
    return file


def message_class() -> Any:
    """Return the class of the message that makes up a whole file."""
    pool = DescriptorPool()
    pool.Add(_declared())
    return GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.ModelProto"))


ModelProto: Any = message_class()
