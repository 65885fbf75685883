import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bringIntoView, stillMs, watchStillness } from '../../../src-renderer/ui/stillness.ts';

const page = { top: 100, scrollY: 0, height: 2000, over: null as Element | null };
let button: HTMLButtonElement;
let watch: ReturnType<typeof watchStillness>;
const reported: boolean[] = [];
const wait = (ms: number) => void vi.advanceTimersByTime(ms);

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(page, { top: 100, scrollY: 0, height: 2000, over: null });
  reported.length = 0;
  button = document.body.appendChild(document.createElement('button'));
  button.getBoundingClientRect = () => new DOMRect(20, page.top - page.scrollY, 90, 36);
  button.scrollIntoView = () => undefined;
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => page.scrollY);
  vi.spyOn(document.documentElement, 'scrollHeight', 'get').mockImplementation(() => page.height);
  document.elementFromPoint = () => page.over;
  watch = watchStillness(button, (still) => reported.push(still));
});
afterEach(() => {
  watch.end();
  button.remove();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a button that just appeared accepts no clicks for a second', () => {
  wait(stillMs - 1);
  expect(watch.isStill()).toBe(false);
  wait(1);
  expect(watch.isStill()).toBe(true);
  expect(reported).toEqual([true]);
});

test('a button that moved accepts no clicks for a second, even if nobody checked in between', () => {
  wait(stillMs);
  page.top -= 40;
  expect(watch.isStill()).toBe(false);
  wait(stillMs);
  expect(watch.isStill()).toBe(true);
  expect(reported).toEqual([true, false, true]);
});

test('many small steps are a move too', () => {
  wait(stillMs);
  for (let step = 0; step < 4; step += 1) {
    page.top -= 1;
    wait(50);
    watch.isStill();
  }
  expect(watch.isStill()).toBe(false);
});

test('a pressed button sinks by a pixel and still takes the click', () => {
  wait(stillMs);
  page.top += 1;
  expect(watch.isStill()).toBe(true);
});

test('a click that does not count starts the second again', () => {
  wait(stillMs - 100);
  expect(watch.accepts()).toBe(false);
  wait(stillMs - 1);
  expect(watch.accepts()).toBe(false);
  wait(stillMs);
  expect(watch.accepts()).toBe(true);
});

test('scrolling by hand does not count', () => {
  wait(stillMs);
  page.scrollY = 60;
  expect(watch.isStill()).toBe(true);
});

test('scrolling by hand is ignored if the page grows before the next check', () => {
  wait(stillMs);
  page.scrollY = 60;
  page.height += 500;
  expect(watch.isStill()).toBe(true);
});

test('scrolling because the page got shorter counts, even if the page grows again at once', () => {
  page.scrollY = 60;
  wait(2 * stillMs);
  page.scrollY = 20;
  page.height -= 40;
  document.dispatchEvent(new Event('scroll'));
  page.height += 500;
  expect(watch.isStill()).toBe(false);
});

test('scrolling because the page got shorter counts', () => {
  page.scrollY = 60;
  wait(2 * stillMs);
  page.scrollY = 20;
  page.height -= 40;
  expect(watch.isStill()).toBe(false);
});

test('a page that grows below it, or above while the browser keeps the place, does not move it', () => {
  page.scrollY = 60;
  wait(2 * stillMs);
  page.height += 500;
  expect(watch.isStill()).toBe(true);
  page.height += 300;
  page.top += 300;
  page.scrollY += 300;
  expect(watch.isStill()).toBe(true);
});

test('a button under a message accepts no clicks until a second after the message disappeared', () => {
  wait(stillMs);
  page.over = document.body;
  expect(watch.isStill()).toBe(false);
  wait(5 * stillMs);
  page.over = button;
  wait(stillMs - 250);
  expect(watch.isStill()).toBe(false);
  wait(250);
  expect(watch.isStill()).toBe(true);
});

test('a window that comes to the front, or scrolls by itself, accepts no clicks for a second', () => {
  wait(stillMs);
  window.dispatchEvent(new Event('focus'));
  expect(watch.isStill()).toBe(false);
  wait(stillMs);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(watch.isStill()).toBe(false);
  wait(stillMs);
  bringIntoView(button, 'nearest');
  expect(watch.isStill()).toBe(false);
  wait(stillMs);
  expect(watch.isStill()).toBe(true);
});
