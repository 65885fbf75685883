import { describe, expect, test } from 'vitest';
import {
  cleanName,
  newFileName,
  partsOfFileName,
  mediaPlace,
  shownName,
} from '../../../src-main/media/media-name.ts';

describe('a name in an address', () => {
  test.each([
    ['Summer Photo.JPG', 'summer-photo'],
    ['C:\\Users\\Ada\\secret plan.png', 'secret-plan'],
    ['../../etc/passwd', 'passwd'],
    ['Café Ünïcode.jpeg', 'cafe-unicode'],
    ['照片.png', 'file'],
    ['\u0000\u0007\r\nSet-Cookie: a=b.txt', 'set-cookie-a-b'],
    ['', 'file'],
    ['.htaccess', 'file'],
    ['...', 'file'],
    ['/', 'file'],
    ['archive.tar.gz', 'archive-tar'],
    ['-rf.txt', 'rf'],
  ])('%j becomes %s', (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  test('is cut to 60 characters, and ends in no hyphen', () => {
    expect(cleanName('a'.repeat(10_000))).toBe('a'.repeat(60));
    expect(cleanName(`${'a'.repeat(59)} b`)).toBe('a'.repeat(59));
    expect(cleanName('/x'.repeat(5000))).toBe('x');
  });

  test('has 128 random bits before it and the ending of the content', () => {
    const names = Array.from({ length: 1000 }, () => newFileName('photo.exe', 'image/png'));
    expect(new Set(names.map((name) => name.slice(0, 22))).size).toBe(1000);
    for (const name of names) expect(partsOfFileName(name)).toEqual({ name: 'photo.png', type: 'image/png' });
  });
});

test('a shown name keeps its script and loses folders, control and direction characters', () => {
  expect(shownName('照片 eins.png', 'image/jpeg')).toBe('照片 eins.jpg');
  expect(shownName('a/b\\c\u202egnp.exe', 'image/png')).toBe('cgnp.png');
  expect(shownName('line\nbreak\u0000.txt', 'text/plain')).toBe('linebreak.txt');
  expect(shownName(`lone \ud800 surrogate`, 'text/plain')).toBe('lone surrogate.txt');
  expect(shownName('', 'application/pdf')).toBe('file.pdf');
  expect(shownName('é'.repeat(10_000), 'image/png')).toBe(`${'é'.repeat(100)}.png`);
});

test('only a path of a file of ours is a place', () => {
  const file = newFileName('photo', 'image/jpeg');
  expect(mediaPlace(`/media/2026/11/${file}`)).toEqual({ month: '2026/11', file });
  for (const path of [
    `/media/2026/13/${file}`,
    `/media/2026/11/../11/${file}`,
    `/media/2026/11/thumbnails/${file}`,
    `/media/2026/11/${file}/`,
    `/media/2026/11/${file}\n`,
    `/media/2026/11/${file}\0`,
    `/media/2026/11/${file.replace('.jpg', '.exe')}`,
    '/media/2026/11/index.jsonl',
    '/media/incoming/0123.part',
    `media/2026/11/${file}`,
  ])
    expect(mediaPlace(path), path).toBeUndefined();
});
