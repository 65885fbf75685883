import { headlessProgram, startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import type { Name } from './measure.ts';

/** The owner's site, on which mentions are counted. */
const me = 'https://owner.example/';
/** Porchlight's public address, the same for each program, so that each sends the same bytes. */
export const publicUrl = 'https://porch.example';
export const serverArguments = [
  '--me',
  me,
  '--base-url',
  publicUrl,
  '--tunnel',
  'off',
  '--allow-private-fetch',
];

/** A program to measure with a data folder. */
export interface Program {
  readonly name: Exclude<Name, 'bare'>;
  /** Its checkout, which is built. */
  readonly root: string;
  readonly dataDir: string;
  /** How many mentions it has. */
  readonly mentions: number;
  /** The path of the post that has 20 responses. */
  readonly post: string;
}

/** How many apps use a server. */
const apps = 40;

/** A program that runs. */
export interface Server extends Program {
  readonly house: HeadlessProcess;
  readonly url: string;
  readonly pid: number;
  /** The access tokens of many apps, because the server limits the work for each. */
  readonly tokens: readonly string[];
}

/** Starts a program and waits until its lists are complete. `probe`: a module that is loaded into it. */
export async function startServer(program: Program, probe?: string): Promise<Server> {
  const house = await startHeadless({
    dataDir: program.dataDir,
    args: serverArguments,
    program: headlessProgram(program.root),
    ...(probe !== undefined && { probe }),
  });
  await house.call('posts.list', { limit: 1 });
  await house.call('webmentions.list', { limit: 1 });
  const tokens: string[] = [];
  for (let number = 1; number <= apps; number += 1) {
    const app = { label: `Benchmark ${number}`, scopes: ['create', 'media', 'read'] };
    tokens.push((await house.call('apps.issueToken', app)).token);
  }
  return {
    ...program,
    house,
    tokens,
    url: `http://127.0.0.1:${house.ready.port}`,
    pid: house.child.pid ?? 0,
  };
}
