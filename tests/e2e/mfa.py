# What a program of a person does who signs in with one-time codes (RFC 6238).

import base64
import hashlib
import hmac
import struct
import time

import people

ENROL, CONFIRM, DISABLE = (f"/api/auth/mfa/{verb}" for verb in ("enrol", "confirm", "disable"))
STEP = 30


def code(secret, steps=0):
    """What the program shows, some steps from now."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // STEP + steps), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def enrol(client):
    """The secret of a person who signs in with codes from now on, and the codes for recovery. The code of the step before is
    used up by that, and the one of now is not."""
    secret = client.post(ENROL).body["secret"]
    confirmed = client.post(CONFIRM, {"otp": code(secret, -1)})
    assert confirmed.status == 200, str(confirmed)
    return secret, confirmed.body["recoveryCodes"]


def login(client, who, otp=None, path=people.LOGIN, password=people.PASSWORD):
    body = {"email": who, "password": password} | ({"otp": otp} if otp else {})
    return client.post(path, body)
