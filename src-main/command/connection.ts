import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { MethodName, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { resultOf } from '../contract/reply.ts';
import type { OpenedWindow } from '../http/owner-socket.ts';
import type { Server } from './command.ts';
import { CliError } from './errors.ts';
import { isRecord } from '../storage/json-value.ts';

/** A running server that responded on its socket. */
export interface Answering {
  readonly version: string;
  readonly server: Server;
}

/** The time within which a running server must identify itself, in milliseconds. */
const helloWithinMs = 5000;

/**
 * Connects to the server on a socket. Returns null if nothing listens on the socket.
 * @throws {CliError} if a program other than Porchlight listens on the socket.
 */
export async function connect(socketPath: string): Promise<Answering | null> {
  let hello: unknown;
  try {
    hello = await ask(socketPath, 'GET', '/version', undefined, AbortSignal.timeout(helloWithinMs));
  } catch (error) {
    // If a server was killed, its socket file remains until the next server starts.
    if (isRefusal(error)) return null;
    throw error;
  }
  if (!isHello(hello)) throw new CliError('not_porchlight', `Another program answers at ${socketPath}.`);
  return { version: hello.version, server: serverAt(socketPath) };
}

function serverAt(socketPath: string): Server {
  return {
    async call<M extends MethodName>(method: M, params: Params<M>) {
      return resultOf<M>(await ask(socketPath, 'POST', `/api/${method}`, params));
    },
    async openWindow() {
      const opened = await ask(socketPath, 'POST', '/window', {});
      if (!isOpened(opened)) throw unreadable();
      return opened;
    },
  };
}

function ask(
  socketPath: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const asked = request({ socketPath, method, path, headers, agent: false, ...(signal && { signal }) });
    asked.on('response', (response) => {
      json(response).then(resolve, () => reject(unreadable()));
    });
    asked.on('error', (error) => reject(isRefusal(error) ? error : lost(error)));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Returns whether an error means that nothing listens on the socket. */
const isRefusal = (error: unknown) => ['ECONNREFUSED', 'ENOENT'].includes(String(codeOf(error)));

function lost(error: Error): CliError {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM')
    return new CliError(
      'other_user',
      'Porchlight belongs to another user of this computer. Run this command as that user.',
    );
  const words = error.name === 'AbortError' ? 'did not answer in time' : 'stopped before it answered';
  return new CliError('no_answer', `Porchlight ${words}. Try again.`);
}

const unreadable = () =>
  new PorchlightError('server_error', 'Porchlight sent an unreadable reply. Try again.');

function isHello(value: unknown): value is { version: string } {
  return isRecord(value) && value['program'] === 'porchlight' && typeof value['version'] === 'string';
}

function isOpened(value: unknown): value is OpenedWindow {
  const isText = (one: unknown) => one === null || typeof one === 'string';
  return isRecord(value) && isText(value['link']) && isText(value['file']);
}
