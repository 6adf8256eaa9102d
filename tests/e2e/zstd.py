# Compression by the library that the program itself uses.

import ctypes

_LIBRARY = ctypes.CDLL("libzstd.so.1")
_LIBRARY.ZSTD_createDStream.restype = ctypes.c_void_p
for _name in ("ZSTD_decompressStream", "ZSTD_isError", "ZSTD_compress", "ZSTD_compressBound"):
    getattr(_LIBRARY, _name).restype = ctypes.c_size_t


class _Buffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def compress(data):
    """One frame with the data."""
    room = ctypes.create_string_buffer(_LIBRARY.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = _LIBRARY.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    assert not _LIBRARY.ZSTD_isError(ctypes.c_size_t(size))
    return room.raw[:size]


def decompress(data):
    """What a file of frames holds."""
    stream, source, whole = ctypes.c_void_p(_LIBRARY.ZSTD_createDStream()), _Buffer(data, len(data), 0), b""
    room = ctypes.create_string_buffer(1 << 20)
    left = 1
    while source.pos < source.size or left:
        target = _Buffer(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
        left = _LIBRARY.ZSTD_decompressStream(stream, ctypes.byref(target), ctypes.byref(source))
        assert not _LIBRARY.ZSTD_isError(ctypes.c_size_t(left)), "no zstd"
        assert target.pos or source.pos < source.size or not left, "the file is cut off"
        whole += room.raw[:target.pos]
    _LIBRARY.ZSTD_freeDStream(stream)
    return whole
