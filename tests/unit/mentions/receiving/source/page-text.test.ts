import { describe, expect, test } from 'vitest';
import { pageText } from '../../../../../src-main/mentions/receiving/source/source-page.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const ascii = (text: string) => [...Buffer.from(text, 'latin1')];

describe('the charset of a page', () => {
  test.each([
    ['windows-1252', bytes(0x80, 0x93, 0xe9), '€“é'],
    ['iso-8859-1', bytes(0xe9), 'é'],
    ['shift_jis', bytes(0x93, 0xfa, 0x96, 0x7b), '日本'],
    ['euc-kr', bytes(0xc7, 0xd1), '한'],
    ['gb18030', bytes(0xd6, 0xd0), '中'],
    ['koi8-r', bytes(0xd0), 'п'],
    ['utf-16le', bytes(0xe9, 0x00), 'é'],
  ])('is the %s of its header', (charset, body, text) => {
    expect(pageText(body, `text/html; charset=${charset}`)).toBe(text);
    expect(pageText(body, `text/html;Charset="${charset.toUpperCase()}"`)).toBe(text);
  });

  test.each([
    ['UTF-16, big end first', bytes(0xfe, 0xff, 0x00, 0xe9), 'é'],
    ['UTF-16, little end first', bytes(0xff, 0xfe, 0xe9, 0x00), 'é'],
    ['UTF-8', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
  ])('is %s by its byte order mark, whatever the header says', (_, body, text) => {
    expect(pageText(body, 'text/html; charset=windows-1252')).toBe(text);
    expect(pageText(body, null)).toBe(text);
  });

  test.each([
    '<meta charset=shift_jis>',
    '<META http-equiv="Content-Type" content="text/html; charset=Shift_JIS">',
  ])('is that of %s', (meta) => {
    const body = bytes(...ascii(meta), 0x93, 0xfa);
    expect(pageText(body, 'text/html')).toBe(`${meta}日`);
    expect(pageText(bytes(...ascii(meta), 0xc3, 0xa9), 'text/html; charset=utf-8')).toBe(`${meta}é`);
  });

  test.each(['no-such-charset', 'utf-7', '', '\u0000'])('is UTF-8 if %j is unknown', (charset) => {
    expect(pageText(bytes(0xc3, 0xa9), `text/html; charset=${charset}`)).toBe('é');
    expect(pageText(bytes(0xc3, 0xa9), null)).toBe('é');
  });
});
