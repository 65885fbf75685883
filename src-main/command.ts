#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runHere } from './command/run.ts';

/** The `porchlight` command, which talks to the server that runs on this computer. */

const { version } = createRequire(import.meta.url)(join(import.meta.dirname, '../../package.json')) as {
  version: string;
};

process.exitCode = await runHere(process.argv.slice(2), version);
