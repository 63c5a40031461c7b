# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours of code, dark and light, each with a contrast of at least 4.5 to its background; and the lexer of kernels in text form."""
from pygments.lexer import RegexLexer, words
from pygments.lexers.c_cpp import CppLexer
from pygments.style import Style
from pygments.token import Comment, Error, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text, Token


class Light(Style):
    background_color = "#f6f7f9"
    styles = {
        Token: "#1f2328", Comment: "#5b6470", Comment.Preproc: "#8250a8", Comment.PreprocFile: "#0a5c3e", Keyword: "#a3305f", Keyword.Type: "#7a4a00",
        Name.Function: "#6639ba", Name.Class: "#7a4a00", Name.Namespace: "#7a4a00", Name.Builtin: "#0550ae", Name.Attribute: "#0550ae",
        Name.Variable: "#0550ae", Name.Label: "#6639ba", Number: "#0550ae", String: "#0a5c3e", Operator: "#1f2328", Operator.Word: "#a3305f", Punctuation: "#3d444d",
        Generic.Prompt: "#5b6470", Generic.Output: "#3d444d", Generic.Deleted: "#a3305f", Generic.Inserted: "#0a5c3e", Error: "#1f2328",
    }


class Dark(Style):
    background_color = "#1b1f24"
    styles = {
        Token: "#dde3ea", Comment: "#96a0ac", Comment.Preproc: "#d0a8f5", Comment.PreprocFile: "#8bd5a5", Keyword: "#ff8fb3", Keyword.Type: "#f0b76a",
        Name.Function: "#d0a8f5", Name.Class: "#f0b76a", Name.Namespace: "#f0b76a", Name.Builtin: "#82b7ff", Name.Attribute: "#82b7ff",
        Name.Variable: "#82b7ff", Name.Label: "#d0a8f5", Number: "#82b7ff", String: "#8bd5a5", Operator: "#dde3ea", Operator.Word: "#ff8fb3", Punctuation: "#b6c0cb",
        Generic.Prompt: "#96a0ac", Generic.Output: "#b6c0cb", Generic.Deleted: "#ff8fb3", Generic.Inserted: "#8bd5a5", Error: "#dde3ea",
    }


class Cpp(CppLexer):
    """C++ in which a dash or an ellipsis of a sentence is text and no mistake."""

    def get_tokens_unprocessed(self, *args, **more):
        for at, kind, text in super().get_tokens_unprocessed(*args, **more):
            yield at, Text if kind is Error else kind, text


class Kir(RegexLexer):
    """Kernels in text form (docs/ir.md)."""

    name = "Krait's IR"
    aliases = ["kir"]
    filenames = ["*.kir"]
    tokens = {
        "root": [
            (r";.*$", Comment),
            (r'"[^"\n]*"', String),
            (r"[@$][\w.]+", Name.Function),
            (r"%[\w.]+", Name.Variable),
            (words(("kir", "kernel", "function", "if", "else", "while", "for", "loop", "yield", "return", "break", "continue", "in", "to", "step", "do"), suffix=r"\b"), Keyword),
            (words(("bool", "view", "const", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"), suffix=r"\b"), Keyword.Type),
            (r"-?(0x[0-9a-fA-F]+|\d+(\.\d+)?([eE][-+]?\d+)?)\b", Number),
            (r"[\w.]+", Name),
            (r"\s+", Text),
            (r"[^\s\w]", Punctuation),
        ]
    }
