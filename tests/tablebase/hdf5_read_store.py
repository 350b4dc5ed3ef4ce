"""Reads a table file with h5py alone and prints what a test compares: a line for each attribute and dataset.

usage: hdf5_read_store.py FILE
"""

import sys
import zlib

import h5py
import numpy


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def attributes_of(thing):
    for name in sorted(thing.attrs):
        value = thing.attrs[name]
        if isinstance(value, numpy.ndarray):
            value = [text(one) for one in value]
        else:
            value = text(value)
        print(f"{thing.name} {name} = {value}")


with h5py.File(sys.argv[1], "r") as file:
    attributes_of(file)
    whole = 0
    for group in sorted(file):
        for name in sorted(file[group]):
            dataset = file[group][name]
            attributes_of(dataset)
            assert dataset.fletcher32 and dataset.compression == "gzip"
            assert dataset.shuffle == (dataset.dtype.itemsize == 2)
            cells = dataset[...].tobytes()
            assert zlib.crc32(cells) == dataset.attrs["crc32"], "crc32"
            whole = zlib.crc32(cells, whole)
            print(f"{dataset.name}: {dataset.dtype} {dataset.shape} {dataset.chunks} {zlib.adler32(cells)}")
    assert whole == file.attrs["content_crc32"], "content_crc32"
