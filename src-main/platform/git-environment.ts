import { access } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the file of a program. On Windows, this is its full path, because Windows would first look for the program in
 * the folder in which it is to run, which is the owner's folder. On other systems, returns the name as it is.
 */
export async function programFile(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform = process.platform,
): Promise<string> {
  if (platform !== 'win32' || path.isAbsolute(name)) return name;
  const folders = (environment['PATH'] ?? environment['Path'] ?? '')
    .split(';')
    .filter((one) => path.isAbsolute(one));
  for (const folder of folders) {
    const file = path.join(folder, `${name}.exe`);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  // A path at which there is nothing, so that the program counts as missing.
  return path.resolve(folders[0] ?? path.sep, `${name}.exe`);
}

/**
 * Returns the environment variables for git. They include the owner's variables, for credential helpers and the ssh
 * agent. Variables that select another repository are removed, and all prompts are disabled.
 */
export function gitEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || isLeftOut(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    // Commands that only read must not take locks that the owner's git may need.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // With an empty value, git runs no program to ask for a password, not even a program from git's configuration.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: 'false',
  };
}

/**
 * Returns whether to remove a variable from git's environment. The program that started Porchlight may have set such
 * variables, which would change how git works.
 */
const isLeftOut = (name: string) => /^(?:GIT_|LC_|LANG$|LANGUAGE$|PAGER$|EDITOR$|VISUAL$)/i.test(name);

/**
 * Returns the variables that keep ssh from prompting. Doesn't override the owner's own ssh command (core.sshCommand),
 * because that command can't prompt without a terminal or an askpass program either.
 */
export function sshVariables(ownCommand: string | undefined): Record<string, string> {
  if (ownCommand !== undefined) return {};
  return { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=30' };
}
