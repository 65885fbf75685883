import type { Random } from './random.ts';

export type Field = readonly [name: string, value: string];

export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly value: Buffer;
}

export type Body =
  | { readonly kind: 'form'; readonly fields: readonly Field[] }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'multipart'; readonly parts: readonly Part[] }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly type?: string };

/** A request before it is written: what generators change. */
export interface Draft {
  readonly method: string;
  /** Written as it is. */
  readonly path: string;
  readonly query?: readonly Field[];
  readonly headers?: readonly Field[];
  readonly body?: Body;
}

/** How bytes go over the connection. */
export type Delivery =
  | { readonly kind: 'whole' }
  /** In so many pieces, a few ms apart. */
  | { readonly kind: 'slow'; readonly pieces: number }
  /** The client hangs up after this many bytes. */
  | { readonly kind: 'aborted'; readonly after: number }
  /** The client closes its side and reads on. */
  | { readonly kind: 'half-closed' }
  /** So many times on one connection, without waiting for an answer. */
  | { readonly kind: 'pipelined'; readonly times: number };

/** One turn of the fuzzer. */
export interface FuzzRequest {
  readonly number: number;
  readonly generator: string;
  /** The route as it is registered, or a word for what is no route. */
  readonly route: string;
  readonly listener: 'public' | 'console';
  readonly bytes: Buffer;
  readonly delivery: Delivery;
  /** True for a whole HTTP request that must get an answer within a few seconds. */
  readonly mustAnswer: boolean;
}

/** As forms and queries are written, but without failing for lone surrogates. */
const encoded = (text: string) => encodeURIComponent(Buffer.from(text).toString());

export const formText = (fields: readonly Field[]) =>
  fields.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');

export function multipartBytes(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, filename, type, value }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const typed = type === undefined ? '' : `\r\nContent-Type: ${type}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}${typed}\r\n\r\n`;
    return [Buffer.from(head), value, Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Returns a body's bytes and its media type. */
function bodyBytes(body: Body): { bytes: Buffer; type: string | undefined } {
  switch (body.kind) {
    case 'form':
      return { bytes: Buffer.from(formText(body.fields)), type: 'application/x-www-form-urlencoded' };
    case 'json':
      return { bytes: Buffer.from(JSON.stringify(body.value)), type: 'application/json' };
    case 'multipart':
      return { bytes: multipartBytes(body.parts, 'fuzz'), type: 'multipart/form-data; boundary=fuzz' };
    case 'bytes':
      return { bytes: body.bytes, type: body.type };
  }
}

/** Writes a request. Headers of the draft come after ours, so that a repeated one is a repeated one on the wire. */
export function written(draft: Draft, host: string, visitor: string | undefined, close = true): Buffer {
  const { bytes, type } = draft.body ? bodyBytes(draft.body) : { bytes: Buffer.alloc(0), type: undefined };
  const query = draft.query && draft.query.length > 0 ? `?${formText(draft.query)}` : '';
  const lines = [
    `${draft.method} ${draft.path}${query} HTTP/1.1`,
    `Host: ${host}`,
    ...(visitor === undefined ? [] : [`CF-Connecting-IP: ${visitor}`]),
    ...(close ? ['Connection: close'] : []),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(draft.body === undefined ? [] : [`Content-Length: ${bytes.length}`]),
    ...(draft.headers ?? []).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** Most visitors come from networks of their own, so that rate limits do not hide what is behind them; some do not. */
export function visitorOf(random: Random): string | undefined {
  const kind = random.next();
  if (kind < 0.88) return `2001:db8:${random.hex(4)}:${random.hex(4)}::1`;
  if (kind < 0.96) return `198.51.100.${random.below(10)}`;
  if (kind < 0.98)
    return random.pick(['', '::ffff:203.0.113.9', 'fe80::1%eth0', '999.1.1.1', '__proto__', ',,']);
  return undefined;
}
