import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudflaredAsset } from '../../src-main/address/tunnel/cloudflared.ts';

/** How much comes of a file that breaks off. Bytes. */
export const beforeBreak = 150_000;

/** How the server takes a request: as it should, or in a way of its own. */
export type Manner = 'whole' | 'break' | 'other bytes' | number;

/** Stands in for the place that cloudflared is downloaded from, ranges and all. */
export interface ReleaseServer {
  readonly origin: string;
  readonly asset: CloudflaredAsset;
  /** The headers of each request for the file so far. */
  readonly asked: IncomingHttpHeaders[];
  /** What comes next; the last one stays. */
  next(...manners: Manner[]): void;
  /** Hangs up on those that wait for the rest after `break`. */
  breakOff(): void;
  /** The file's tag; null: it has none. */
  tag: string | null;
  close(): Promise<void>;
}

export async function releaseServer(
  file: Buffer = randomBytes(400_000),
  { redirectTo, packed = false }: { redirectTo?: string; packed?: boolean } = {},
): Promise<ReleaseServer> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  const asset = { name: 'cloudflared-test', sha256, packed };
  const asked: IncomingHttpHeaders[] = [];
  const held: ServerResponse[] = [];
  let manners: Manner[] = ['whole'];
  const server = createServer((request, response) => {
    if (redirectTo !== undefined) {
      response.writeHead(302, { location: `${redirectTo}${asset.name}` }).end();
      return;
    }
    asked.push(request.headers);
    const manner = (manners.length > 1 ? manners.shift() : manners[0]) ?? 'whole';
    if (typeof manner === 'number') response.writeHead(manner).end();
    else send(response, request.headers, manner);
  });

  function send(
    response: ServerResponse,
    headers: IncomingHttpHeaders,
    manner: Exclude<Manner, number>,
  ): void {
    const { tag } = made;
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const goesOn = from > 0 && (headers['if-range'] === undefined || headers['if-range'] === tag);
    const body = manner === 'other bytes' ? randomBytes(file.length) : file;
    const part = goesOn ? body.subarray(from) : body;
    response.writeHead(goesOn ? 206 : 200, {
      'content-length': part.length,
      ...(tag !== null && { etag: tag }),
      ...(goesOn && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
    });
    if (manner === 'break') {
      response.write(part.subarray(0, beforeBreak));
      held.push(response);
    } else response.end(part);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: ReleaseServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asset,
    asked,
    next: (...next) => {
      manners = next;
    },
    breakOff() {
      for (const response of held.splice(0)) response.destroy();
    },
    tag: '"one"',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return made;
}
