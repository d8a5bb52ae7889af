"""last_words.py: node 1 of a `skein run` rejects node 0, and ends without having read what it was told. That is an error
for whoever reads what it has said, before its last packet."""
import os
import socket
import struct
import sys
import time

MAGIC, VERSION, REJECTS = 0x53424B53, 10, 20  # net/wire/bootstrap.h
channel = socket.socket(fileno=int(os.environ["SKEIN_BOOTSTRAP"]))
node, = struct.unpack_from("<i", channel.recv(16, socket.MSG_PEEK), 8)
if node == 1:
    channel.send(struct.pack("<IHHii", MAGIC, VERSION, REJECTS, 0, 0) + b"and these are its last words")
    sys.exit(3)
time.sleep(5)
