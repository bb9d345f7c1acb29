"""Whose request it is: the address that is counted, behind proxies too."""

from __future__ import annotations

from ipaddress import IPv6Network, ip_address


def counted_as(address: str) -> str:
    """Who is counted: an address, or the network of an IPv6 address, /64, of which one visitor has all 2**64.

    >>> counted_as("192.0.2.7"), counted_as("2001:db8:0:1:5::9"), counted_as("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:0:1::', '192.0.2.7')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:  # what a proxy tells may be anything
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((int(found) >> 64 << 64, 64)).network_address)


def forwarded_for(peer: str, forwarded: str, proxies: int) -> str:
    """The visitor's address: what the outermost of so many proxies wrote into `X-Forwarded-For`, or the peer's.

    >>> forwarded_for("10.0.0.1", "203.0.113.9, 198.51.100.2", 1), forwarded_for("10.0.0.1", "203.0.113.9", 0)
    ('198.51.100.2', '10.0.0.1')
    """
    entries = [entry.strip() for entry in forwarded.split(",")]
    return entries[-proxies] if 0 < proxies <= len(entries) and entries[-proxies] else peer
