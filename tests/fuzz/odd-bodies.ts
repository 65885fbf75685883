import { brotliCompressSync, gzipSync } from 'node:zlib';
import { oddFields } from './odd-http.ts';
import { changedBytes, oddText } from './odd-text.ts';
import type { Random } from './random.ts';
import { formText, multipartBytes, type Body } from './request.ts';

/** JSON texts that no JSON.stringify writes. */
function oddJson(random: Random): string {
  const depth = 1 + random.below(20_000);
  const texts = [
    '',
    'null',
    'true',
    '0',
    '"x"',
    '[]',
    '{',
    '{"a":1,}',
    '{"a":1}{"b":2}',
    "{'a':1}",
    '{"type":NaN}',
    '{"type":1e400}',
    `{"a":${'9'.repeat(1000)}}`,
    '{"type":["h-entry"],"type":[1],"properties":{"content":["a"],"content":[{"html":1}]}}',
    '{"__proto__":{"token":"x"},"type":["h-entry"],"properties":{"content":["x"]}}',
    '{"type":["h-entry"],"properties":{"__proto__":["x"],"content":["x"]}}',
    '{"type":["h-entry"],"properties":{"content":[{"constructor":{"prototype":{"x":1}}}]}}',
    '{"type":["h-entry"],"properties":{"content":["\\ud800"]}}',
    '{"type":["h-entry"],"properties":{"content":["\\u0000"]}}',
    '\ufeff{"type":["h-entry"],"properties":{"content":["x"]}}',
    `{"type":["h-entry"],"properties":{"content":["${'x'.repeat(random.below(60_000))}"]}}`,
    `{"type":["h-entry"],"properties":{${Array.from({ length: random.below(2000) }, (_, index) => `"p${index}":["x"]`).join(',')}}}`,
    '['.repeat(depth),
    '['.repeat(depth) + ']'.repeat(depth),
    '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
    `{"action":"update","url":"x","replace":${'['.repeat(500)}${']'.repeat(500)}}`,
  ];
  return random.pick(texts);
}

/** Multipart bodies with broken boundaries, headers and parts. The boundary is `fuzz`. */
function oddMultipart(random: Random): Buffer {
  const part = (head: string, value = 'x') => `--fuzz\r\n${head}\r\n\r\n${value}\r\n`;
  const named = 'Content-Disposition: form-data; name="content"';
  const file = 'Content-Disposition: form-data; name="photo"; filename=';
  const texts = [
    '',
    '--fuzz--',
    '--fuzz\r\n',
    part(named),
    `${part(named)}--fuzz-`,
    `${part(named)}--other--\r\n`,
    `${part('X: y')}--fuzz--\r\n`,
    `${part('Content-Disposition: attachment')}--fuzz--\r\n`,
    `${part('Content-Disposition: form-data; name="__proto__"')}--fuzz--\r\n`,
    `${part(`${named}\r\nContent-Transfer-Encoding: base64`, '####')}--fuzz--\r\n`,
    `${part(`${file}"../../secrets.json"\r\nContent-Type: image/png`)}--fuzz--\r\n`,
    `${part(`${file}"a\0b.png"`)}--fuzz--\r\n`,
    `${part(`${file}"${'x'.repeat(random.below(20_000))}"`)}--fuzz--\r\n`,
    `${part(`${file}""; filename*=UTF-8''%ff%fe`)}--fuzz--\r\n`,
    `${part(`${file}"x\r\n Content-Type: y"`)}--fuzz--\r\n`,
    `${part(`Content-Type: multipart/mixed; boundary=inner\r\n${named}`, '--inner\r\n\r\nx\r\n--inner--')}--fuzz--\r\n`,
    `${part(named).repeat(random.below(1500))}--fuzz--\r\n`,
    `${part(`${file}"a.gif"`, 'GIF89a').repeat(random.below(30))}--fuzz--\r\n`,
    `preamble\r\n${part(named)}--fuzz--\r\nepilogue`,
    `--fuzz\n${named}\n\nx\n--fuzz--\n`,
    `--fuzz\r\n${'X: y\r\n'.repeat(random.below(3000))}\r\nx\r\n--fuzz--\r\n`,
  ];
  return Buffer.from(random.pick(texts), 'latin1');
}

/** First bytes of files, which decide what an upload is taken for, with nonsense behind them. */
export function oddFile(random: Random): Buffer {
  const starts = [
    'ffd8ffe000104a46494600010100000100010000',
    '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489',
    '47494638396101000100800000',
    '524946462400000057454250565038200000',
    '0000001c66747970686569630000000068656963',
    '0000002066747970697336d0',
    '255044462d312e37',
    '3c7376672f3e',
    '494433030000000000',
    '1a45dfa3',
    '504b0304',
    '',
  ];
  return Buffer.concat([Buffer.from(random.pick(starts), 'hex'), random.bytes(random.below(600))]);
}

const multipart = 'multipart/form-data; boundary=fuzz';
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** A body of any kind that is not what an endpoint expects. `names`: fields that endpoints know. */
export function oddBody(random: Random, names: readonly string[]): Body {
  const bytes = (content: Buffer | string, type: string): Body => ({
    kind: 'bytes',
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    type,
  });
  const fields = () => formText(oddFields(random, names));
  const kinds: readonly (() => Body)[] = [
    () => ({ kind: 'form', fields: oddFields(random, names) }),
    () => bytes(oddText(random), form),
    () =>
      bytes(
        random.pick(['&&&===&;;&=&', 'a', '%', 'a=%', '%zz=%ff', 'a[b', '[]=x', '=', '&'.repeat(5000)]),
        form,
      ),
    () => bytes(oddJson(random), json),
    () => bytes(changedBytes(random, Buffer.from(oddJson(random).slice(0, 5000))), json),
    () => bytes(oddMultipart(random), multipart),
    () => bytes(changedBytes(random, oddMultipart(random)), multipart),
    () =>
      bytes(multipartBytes([{ name: 'file', filename: 'a.png', value: oddFile(random) }], 'fuzz'), multipart),
    () => bytes(gzipSync(fields()), form),
    () => bytes(brotliCompressSync(fields().slice(0, 10_000)), form),
    () =>
      bytes(
        random.bytes(random.below(2000)),
        random.pick([form, json, multipart, 'text/plain', 'image/png']),
      ),
    () => bytes('a=b&'.repeat(random.below(40_000)), form),
    () => bytes(fields(), random.pick([json, multipart, 'text/plain', '///;;', `${form}; charset=utf-16`])),
    () => ({ kind: 'bytes', bytes: Buffer.from(fields()) }),
  ];
  return random.pick(kinds)();
}
