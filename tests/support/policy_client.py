#!/usr/bin/env python3
# A policy that brings the hand to a point of the world: policy_client.py SOCKET X Y Z
import json
import socket
import struct
import sys
import time


def receive(line, size):
    data = b""
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


path, goal = sys.argv[1], [float(x) for x in sys.argv[2:5]]
line = socket.socket(socket.AF_UNIX)
while line.connect_ex(path) != 0:
    time.sleep(0.01)
while True:
    (size,) = struct.unpack(">I", receive(line, 4))
    question = json.loads(receive(line, size))
    hand = question["observations"]["reference.hand.pose"]
    # half a second ahead: half of the way that is left
    poses = [[h + 0.02 * i * (g - h) for h, g in zip(hand[:3], goal)] + hand[3:] for i in range(26)]
    answer = json.dumps({"question": question["question"], "dt": 0.02, "poses": poses}).encode()
    line.sendall(struct.pack(">I", len(answer)) + answer)
