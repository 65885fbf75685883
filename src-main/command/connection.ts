import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { defaultDataDir } from '../app/options.ts';
import type { MethodName, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { productName } from '../contract/names.ts';
import { resultOf } from '../contract/reply.ts';
import { whereDataIs } from '../data/backup/find-data.ts';
import type { OpenedWindow } from '../http/owner-socket.ts';
import { findSocket, type FoundSocket } from '../platform/socket-place.ts';
import { isRecord } from '../storage/json-value.ts';
import { CliError, exitCodes, type Server, usageError } from './command.ts';

/**
 * Connects to the running server that uses the given data folder. If no folder is given, tries the default folders of
 * the headless server and of the app. `version`: the version of this command.
 * @throws {CliError} if no server is running (exit code `noServer`), more than one is running (`usage`) or the server
 * has another version (`otherVersion`). Also if another user owns the server, or another program listens on its socket.
 */
export async function findServer(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
  version: string,
): Promise<Server> {
  const folders = given === undefined ? await usualFolders(env, process.platform) : [given];
  const found: { folder: string; answering: Answering }[] = [];
  for (const folder of folders) {
    const answering = await serverOf(folder);
    if (answering) found.push({ folder, answering });
  }
  const [first, second] = found;
  if (!first) throw notRunning(folders);
  if (second) {
    const list = found.map(({ folder }) => `“${folder}”`).join(' and ');
    throw usageError(`More than one Porchlight is running, in ${list}. Choose one with --data.`);
  }
  if (first.answering.version !== version) throw otherVersion(first.answering.version, version);
  return first.answering.server;
}

async function serverOf(folder: string): Promise<Answering | null> {
  let socket;
  try {
    socket = await findSocket(folder);
  } catch {
    throw new CliError(
      'other_user',
      `You may not open the data folder “${folder}”. Run this command as the user who runs Porchlight.`,
    );
  }
  if (socket === 'none') return null;
  if (socket === 'not yours')
    throw new CliError(
      'other_user',
      `The socket in “${folder}” belongs to another user, or other users can open it. Run this command as the user who runs Porchlight.`,
    );
  return connect(socket);
}

type Socket = Exclude<FoundSocket, string>;

async function usualFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<string[]> {
  const profile = appProfile(env, platform);
  const app = await whereDataIs(join(profile, 'place.json'), join(profile, 'data'));
  return [...new Set([defaultDataDir(env, platform), app])];
}

/** Returns the folder of the app's profile: Electron's `userData`. */
export function appProfile(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform !== 'linux') return defaultDataDir(env, platform);
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), productName);
}

function notRunning(folders: readonly string[]): CliError {
  const list = folders.map((folder) => `“${folder}”`).join(' or ');
  return new CliError(
    'not_running',
    `Porchlight isn’t running with its data in ${list}. Start the app, or run “npm start” in Porchlight’s folder. If its data is elsewhere, add --data FOLDER.`,
    exitCodes.noServer,
  );
}

function otherVersion(running: string, mine: string): CliError {
  return new CliError(
    'other_version',
    `Porchlight ${running.slice(0, 40)} is running, but this command is version ${mine}. Restart Porchlight, or use the command that came with it.`,
    exitCodes.otherVersion,
  );
}

/** A running server that responded on its socket. */
interface Answering {
  readonly version: string;
  readonly server: Server;
}

/** The time within which a running server must identify itself, in milliseconds. */
const helloWithinMs = 5000;

/**
 * Connects to the server on a socket. Returns null if nothing listens on the socket.
 * @throws {CliError} if a program other than Porchlight listens on the socket.
 */
export async function connect(socket: Socket): Promise<Answering | null> {
  let hello: unknown;
  try {
    hello = await ask(socket, 'GET', '/version', undefined, AbortSignal.timeout(helloWithinMs));
  } catch (error) {
    // If a server was killed, its socket file remains until the next server starts.
    if (isRefusal(error)) return null;
    throw error;
  }
  if (!isHello(hello)) throw new CliError('not_porchlight', `Another program answers at ${socket.path}.`);
  return { version: hello.version, server: serverAt(socket) };
}

function serverAt(socket: Socket): Server {
  return {
    async call<M extends MethodName>(method: M, params: Params<M>) {
      return resultOf<M>(await ask(socket, 'POST', `/api/${method}`, params));
    },
    async openWindow() {
      const opened = await ask(socket, 'POST', '/window', {});
      if (!isOpened(opened)) throw unreadable();
      return opened;
    },
  };
}

function ask(
  { path: socketPath, key }: Socket,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
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
