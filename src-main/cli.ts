#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from './cli/run.ts';
import { processTerminal } from './cli/terminal.ts';

/** Entry point 3: the `porchlight` command, which asks the server that runs on this computer. */

const { version } = createRequire(import.meta.url)(join(import.meta.dirname, '../../package.json')) as {
  version: string;
};

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  version,
  terminal: processTerminal(),
  write: (text) => void process.stdout.write(text),
});
