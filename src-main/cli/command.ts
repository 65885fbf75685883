import type { OpenedWindow } from '../http/owner-socket.ts';
import type { MethodName, Params, Result } from '../contract/contract.ts';
import type { Terminal } from './terminal.ts';

/** The running server. */
export interface Server {
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Shows the window, or makes a link to it. */
  openWindow(): Promise<OpenedWindow>;
}

/** What was typed after the command. */
export interface Given {
  /** The words that are no options. */
  readonly words: readonly string[];
  flag(name: string): boolean;
  /** Each value of an option, in order. */
  values(name: string): readonly string[];
}

/** An option of a command. `value`: what the help calls its value; absent for a switch. */
export interface Option {
  readonly value?: string;
  /** What a shell may complete the value with. */
  readonly completes?: 'file' | readonly string[];
  readonly help: string;
}

/** Answers in two forms: `json` is the contract's result, unchanged; `text` is for people. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

export interface Command {
  /** What follows the name, in the help. */
  readonly takes?: string;
  readonly help: string;
  /** How many words it takes: at least, at most. */
  readonly words: readonly [number, number];
  /** What a shell may complete its words with. */
  readonly completes?: 'file' | readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  run(server: Server, given: Given, terminal: Terminal): Promise<Answer>;
}
