import { backup } from './backup.ts';
import type { Command, Option } from './command.ts';
import { importMentions, mentions } from './mentions.ts';
import { open } from './open.ts';
import { post } from './post.ts';
import { approve, signIns } from './sign-ins.ts';
import { status } from './status.ts';

/** Every command that talks to the running server. Help, parsing and completions use this table. */
export const commands: Readonly<Record<string, Command>> = {
  status,
  open,
  post,
  'sign-ins': signIns,
  approve,
  mentions,
  import: importMentions,
  backup,
};

/** The options that every command accepts. */
export const commonOptions: Readonly<Record<string, Option>> = {
  data: { value: 'FOLDER', completes: 'file', help: 'The data folder of the server (also PORCHLIGHT_DATA)' },
  json: { help: 'Print the result as one line of JSON; errors too, on stderr' },
  help: { help: 'Show this' },
  version: { help: 'Show the version of this command' },
};

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Commands that don't need a running server. */
export const localCommands = {
  completion: { takes: shells.join('|'), help: 'Print a script that completes commands in your shell' },
  help: { takes: '[COMMAND]', help: 'Explain a command' },
} as const;
