"""Addresses of servers: which are valid, and which stay on this machine."""

import pytest

from position_oracle.schema.addresses import check_address, host_and_port, is_loopback
from position_oracle.schema.errors import NotationError

HERE = ("localhost:1", "127.0.0.1:50051", "127.8.9.10:1", "[::1]:1", "unix:/tmp/socket")
ELSEWHERE = (
    "localhost.example:1",
    "localhosts:1",
    "127.0.0.1.example:1",
    "127.example:1",
    "1270.0.1:1",
    "my-localhost:1",
    "[::12]:1",
    "[::1]x:1",
    "xds:localhost:1",
    "0.0.0.0:1",
)


@pytest.mark.parametrize("form", ["{}", "dns:{}", "dns:///{}", "ipv4:{}", "ipv6:{}"])
def test_only_addresses_of_this_machine_stay_on_it(form: str) -> None:
    """A token goes in plain text to these alone."""
    for address in HERE[:4]:
        assert is_loopback(form.format(address))
    for address in ELSEWHERE:
        assert not is_loopback(form.format(address))
    assert is_loopback(HERE[4])
    assert not is_loopback(f"dns:{HERE[4]}")


@pytest.mark.parametrize("port", [-1, 0, 1, 65_535, 65_536])
def test_ports_up_to_the_largest(port: int) -> None:
    address = f"host:{port}"
    for least in (0, 1):
        if least <= port <= 65_535:
            assert check_address(address, least) == address
        else:
            with pytest.raises(NotationError):
                check_address(address, least)


def test_hosts_and_ports() -> None:
    assert host_and_port("[::1]:9464") == ("::1", 9464)
    assert host_and_port("example.org:0") == ("example.org", 0)
    for address in ("dns:example.org", "example.org", "[::1]", "a b:1", "[::1:1"):
        with pytest.raises(NotationError):
            host_and_port(address)
