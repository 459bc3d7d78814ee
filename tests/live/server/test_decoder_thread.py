"""The order in which the decoder's thread works: awaited calls, then calls that give way, then idle ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any

from hopefear.live.server.decoder_thread import DecoderThread


def in_a_thread(work: Callable[[DecoderThread], Any]) -> Any:
    async def whole() -> Any:
        thread = DecoderThread(10)
        running = asyncio.create_task(thread.run())
        try:
            return await work(thread)
        finally:
            running.cancel()
            thread.close()

    return asyncio.run(whole())


def test_the_order_of_calls_that_wait() -> None:
    async def work(thread: DecoderThread) -> list[str]:
        opened, begun, done = Event(), Event(), list[str]()

        def first() -> None:
            begun.set()
            opened.wait()

        calls = [asyncio.ensure_future(thread.ask(first))]
        await asyncio.to_thread(begun.wait)
        for name, how in (
            ("idle", {"idle": True}),
            ("giving way", {"give_way": lambda: None}),
            ("awaited", {}),
            ("awaited later", {}),
        ):
            calls.append(asyncio.ensure_future(thread.ask(lambda name=name: done.append(name), **how)))
        await asyncio.sleep(0)
        opened.set()
        await asyncio.gather(*calls)
        return done

    assert in_a_thread(work) == ["awaited", "awaited later", "giving way", "idle"]


def test_a_call_gives_way_to_an_awaited_one_alone() -> None:
    async def work(thread: DecoderThread) -> list[bool]:
        begun, unwanted, gave_way = Event(), Event(), list[bool]()

        def long() -> None:
            begun.set()
            unwanted.wait()

        running = asyncio.ensure_future(thread.ask(long, give_way=unwanted.set))
        await asyncio.to_thread(begun.wait)
        others = [asyncio.ensure_future(thread.ask(lambda: None, idle=True))]
        others.append(asyncio.ensure_future(thread.ask(lambda: None, give_way=lambda: None)))
        await asyncio.sleep(0)
        gave_way.append(unwanted.is_set())
        await thread.ask(lambda: None)
        gave_way.append(unwanted.is_set())
        await asyncio.gather(running, *others)
        return gave_way

    assert in_a_thread(work) == [False, True]
