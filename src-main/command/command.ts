import type { OpenedWindow } from '../http/owner-socket.ts';
import type { MethodName, Params, Result } from '../contract/contract.ts';
import type { Terminal } from './terminal.ts';

/** A connection to the running server. */
export interface Server {
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Shows Porchlight's window, or returns a link that opens it in a browser. */
  openWindow(): Promise<OpenedWindow>;
}

/** The arguments and options typed after the command. */
export interface Given {
  /** The arguments that are not options. */
  readonly words: readonly string[];
  flag(name: string): boolean;
  /** Returns all values that were given for an option, in the order in which they were typed. */
  values(name: string): readonly string[];
}

/** An option of a command. `value`: the placeholder for its value in the help; absent if it takes no value. */
export interface Option {
  readonly value?: string;
  /** The completions that a shell offers for the value. */
  readonly completes?: 'file' | readonly string[];
  readonly help: string;
}

/** The output of a command: `json` is the unchanged result of the API method, `text` is for people. */
export interface CommandOutput {
  readonly json: unknown;
  readonly text: string;
}

export interface Command {
  /** The placeholder for the command's arguments, which the help shows after the command's name. */
  readonly takes?: string;
  readonly help: string;
  /** The minimum and maximum number of arguments after the command. */
  readonly words: readonly [number, number];
  /** The completions that a shell offers for the arguments after the command. */
  readonly completes?: 'file' | readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  run(server: Server, given: Given, terminal: Terminal): Promise<CommandOutput>;
}
