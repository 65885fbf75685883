import { homedir } from 'node:os';
import { join } from 'node:path';
import { defaultDataDir } from '../app/options.ts';
import { findSocket } from '../platform/socket-place.ts';
import { whereDataIs } from '../data/backup/find-data.ts';
import type { Server } from './command.ts';
import { CliError, exitCodes, usageError } from './errors.ts';
import { connect, type Answering } from './connection.ts';

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
  return connect(socket.path);
}

async function usualFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<string[]> {
  const profile = appProfile(env, platform);
  const app = await whereDataIs(join(profile, 'place.json'), join(profile, 'data'));
  return [...new Set([defaultDataDir(env, platform), app])];
}

/** Returns the folder of the app's profile: Electron's `userData`. */
export function appProfile(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform !== 'linux') return defaultDataDir(env, platform);
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'Porchlight');
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
