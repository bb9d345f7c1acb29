"""Finds the client address of a request for rate limits and queues, including requests through proxies."""

from ipaddress import IPv6Network, ip_address


def rate_limit_key(address: str) -> str:
    """The key of a client: the IPv4 address, or the /64 network of the IPv6 address, since one client has all of it.

    >>> rate_limit_key("192.0.2.7"), rate_limit_key("2001:db8:0:1:5::9"), rate_limit_key("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:0:1::', '192.0.2.7')
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:  # a proxy may send anything
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed) >> 64 << 64, 64)).network_address)


def forwarded_for(peer: str, forwarded: str, proxies: int) -> str:
    """The client's address: the `X-Forwarded-For` entry of the outermost of `proxies` proxies, or else the peer.

    >>> forwarded_for("10.0.0.1", "203.0.113.9, 198.51.100.2", 1), forwarded_for("10.0.0.1", "203.0.113.9", 0)
    ('198.51.100.2', '10.0.0.1')
    """
    entries = [entry.strip() for entry in forwarded.split(",")]
    return entries[-proxies] if 0 < proxies <= len(entries) and entries[-proxies] else peer
