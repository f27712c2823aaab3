"""A seccomp filter for what namespaces do not cut off: sockets of other families than a desktop needs, and kernel keyrings.

A ``AF_VSOCK`` socket reaches a virtual machine's host from any network namespace, and a sandbox inherits the session
keyring of whoever started it. The rest is left to capabilities and namespaces: browsers need most of it for their own sandboxes.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct

_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
#: By machine: the AUDIT_ARCH of linux/audit.h, and the numbers of the calls of asm/unistd.h. io_uring can make sockets too.
_NUMBERS = {
    "x86_64": (0xC000003E, {"socket": 41, "add_key": 248, "request_key": 249, "keyctl": 250, "io_uring_setup": 425}),
    "aarch64": (0xC00000B7, {"socket": 198, "add_key": 217, "request_key": 218, "keyctl": 219, "io_uring_setup": 425}),
}
_X32 = 0x40000000  # calls of the x32 ABI have numbers from here on
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # classic BPF: linux/filter.h
_NUMBER_AT, _ARCH_AT, _ARGUMENT_AT = 0, 4, 16  # struct seccomp_data of linux/seccomp.h, low half of the first argument
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000


def supported() -> bool:
    """Whether the filter is known for this machine's processor."""
    return platform.machine() in _NUMBERS


def program() -> bytes:
    """The filter as ``bwrap --seccomp`` reads it: an array of ``struct sock_filter``."""
    arch, numbers = _NUMBERS[platform.machine()]

    def refuse(error: int) -> tuple[int, int, int, int]:
        return (_RETURN, 0, 0, _ERRNO | error)

    lines = [(_LOAD, 0, 0, _ARCH_AT), (_IF_EQUAL, 1, 0, arch), refuse(errno.ENOSYS)]
    lines += [(_LOAD, 0, 0, _NUMBER_AT), (_IF_AT_LEAST, 0, 1, _X32), refuse(errno.ENOSYS)]
    for name, error in {"io_uring_setup": errno.ENOSYS, "add_key": errno.EPERM, "request_key": errno.EPERM, "keyctl": errno.EPERM}.items():
        lines += [(_IF_EQUAL, 0, 1, numbers[name]), refuse(error)]
    lines += [(_IF_EQUAL, 1, 0, numbers["socket"]), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, _ARGUMENT_AT)]
    for family in _FAMILIES:
        lines += [(_IF_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    lines.append(refuse(errno.EAFNOSUPPORT))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
