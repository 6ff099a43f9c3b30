"""The server: answers on loopback, and refuses what is too large, too slow or from elsewhere."""

from __future__ import annotations

import http.client
import os
import socket

import pytest

from babi_cascade.app.serve import LiveServer
from babi_cascade.errors import UserError
from tests.app.serve.conftest import ODD_MODEL, asked, request, serving

STORY = "Ana went to the mill.\nTom moved to the barn.\nWhere is Tom?"


def test_the_page_comes_with_a_policy_that_lets_nothing_else_in(served):
    response, text = request(served)
    assert response.status == 200
    assert "<textarea" in text
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"
    assert "Python" not in response.headers["Server"]


def test_a_story_is_answered_with_everything_that_can_be_shown(served):
    status, told = asked(served, STORY)
    assert status == 200
    (found,) = told["questions"]
    assert (found["answer"], found["support"], found["verdict"]) == ("barn", [2], "likely")
    assert found["story"][1]["frames"][0]["predicate"] == "move"
    assert found["why"]["answer"]


def test_one_text_knows_nothing_of_the_last(served):
    asked(served, STORY)
    _, told = asked(served, "Where is Tom?")
    assert told["questions"][0]["answer"] is None
    assert told["questions"][0]["reasons"] == ["there is no story yet"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no question"),
        ("Ana left.", "no question"),
        ("Who?\n" * 21, "found 21 questions"),
        ("Ana left.\n" * 301 + "Who?", "found 301 sentences"),
        ("a\x01b?", "U+0001"),
        ("Ana left.\nWho?\tan\x1bswer\t1", "U+001B"),
        ("Ana left.\nWho?\t\ud800\t1", "U+D800"),
    ],
)
def test_texts_that_are_refused(served, text, said):
    status, told = asked(served, text)
    assert status == 422
    assert said in told["error"]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:PORT", "127.0.0.1:1", "127.0.0.1.evil.example:PORT", "", "[::1"],
)
def test_other_hosts_are_refused_so_that_no_name_can_be_pointed_here(served, host):
    response, _ = request(served, Host=host.replace("PORT", str(served.server_port)))
    assert response.status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST", "[::1]"])
def test_its_own_names_are_known(served, host):
    assert request(served, Host=f"{host}:{served.server_port}")[0].status == 200


def test_other_sites_cannot_ask_through_a_browser(served):
    assert asked(served, STORY, Origin="http://evil.example")[0] == 403
    assert asked(served, STORY, Origin="null")[0] == 403
    assert asked(served, STORY, Origin=f"https://127.0.0.1:{served.server_port}")[0] == 403
    assert asked(served, STORY, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(served, STORY, Origin=served.url.rstrip("/"))[0] == 200
    # A form of another site can send no JSON.
    assert asked(served, STORY, Content_Type="text/plain")[0] == 415


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ("[]", 400), ('{"text": 3}', 400), ("[" * 30_000, 400), ("x" * 70_000, 413)],
)
def test_bodies_that_are_refused(served, body, status):
    assert request(served, "POST", "/ask", body)[0].status == status


def raw(server, data, read=True):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(data)
        return connection.recv(65536) if read else b""


def test_lengths_that_lie_or_are_not_there(served):
    head = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{served.server_port}\r\nContent-Type: application/json\r\n"
    for more, status in (
        ("", 411), ("Content-Length: -1\r\n", 411), ("Content-Length: 99999999999999\r\n", 413),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 5\r\nContent-Length: 2\r\n", 411),
        ("Host: evil.example\r\nContent-Length: 5\r\n", 421),
    ):  # fmt: skip
        answer = raw(served, (head + more + "\r\n").encode())
        assert answer.startswith(f"HTTP/1.1 {status}".encode())


def test_other_paths_and_methods(served):
    assert request(served, path="/../etc/passwd")[0].status == 404
    assert request(served, "POST", "/", {"text": STORY})[0].status == 404
    assert request(served, "PUT", "/ask", "{}")[0].status == 501
    response, text = request(served, "HEAD")
    assert (response.status, text) == (200, "")


def test_connections_without_end_do_not_starve_it_for_good(served):
    held = [socket.create_connection(("127.0.0.1", served.server_port)) for _ in range(40)]
    for connection in held:
        connection.close()
    for _ in range(20):
        try:
            assert request(served)[0].status == 200
            break
        except (ConnectionError, http.client.HTTPException):
            continue
    else:
        pytest.fail("never answered again")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "8.8.8.8"])
def test_it_binds_to_loopback_only_unless_told(host):
    with pytest.raises(UserError, match="--allow-remote"):
        LiveServer(ODD_MODEL, host, 0)


def test_told_so_it_serves_others_but_no_foreign_names():
    with LiveServer(ODD_MODEL, "0.0.0.0", 0, allow_remote=True) as server:
        assert server.names_us(f"192.0.2.7:{server.server_port}")
        assert not server.names_us(f"evil.example:{server.server_port}")


def test_an_address_in_use_or_unknown_is_told(served):
    with pytest.raises(UserError, match="cannot serve there"):
        LiveServer(ODD_MODEL, "127.0.0.1", served.server_port)
    with pytest.raises(UserError, match="no such address"):
        LiveServer(ODD_MODEL, "no.such.host.invalid", 0)


def test_nothing_is_written_to_the_disk(reading_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    # Read before anything is asked: what the libraries keep when they are loaded is none of the texts.
    with serving(reading_command) as server:
        before = sorted(os.walk(tmp_path))
        assert asked(server, STORY.replace("Tom", "Zorblat"))[0] == 200
    assert sorted(os.walk(tmp_path)) == before
    assert not [name for _, _, files in before for name in files if name.endswith(".sqlite")]


class TestInABrowser:
    def test_a_typed_story_is_drawn(self, served, open_page):
        page = open_page(served.url)
        page.fill("#story", "Ana slept.\nThen she moved to the barn.\nWhere is Ana?\nWhere is Ida?")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("html[data-ready]")
        first, second = page.locator("article").all()
        assert "barn" in first.locator(".said").inner_text()
        assert first.locator(".entity", has_text="she").count() == 1
        assert first.locator(".gloss").count() >= 2
        assert "I do not know: " in second.locator(".note").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280

    def test_a_hostile_story_does_nothing_and_an_empty_one_is_told(self, served, browser):
        context = browser.new_context(viewport={"width": 360, "height": 700})
        page = context.new_page()
        page.goto(served.url)
        hostile = "<img src=x onerror=\"document.title='owned'\">"
        page.fill("#story", f"Tom moved to {hostile} the barn.\nWhere is Tom {hostile}?")
        page.click("#ask")
        page.wait_for_selector("article")
        assert page.title() == "babi-cascade"
        assert page.locator("article img").count() == 0
        assert hostile in page.inner_text("article h3")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.fill("#story", "")
        page.click("#ask")
        page.wait_for_selector("#answers > .note")
        assert "found no question" in page.inner_text("#answers")
        context.close()
