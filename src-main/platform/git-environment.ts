/**
 * Returns the environment for git: the owner's, so that their credential helpers and their ssh agent work, without
 * variables that would point git at another repository, and without any way to open a prompt.
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
    // Reading must not take locks that the owner's git might need.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // Empty: git asks no program, not even the one from its configuration.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: 'false',
  };
}

/** Git's own variables come from a terminal or a hook that Porchlight was started from. */
const isLeftOut = (name: string) => /^(?:GIT_|LC_|LANG$|LANGUAGE$|PAGER$|EDITOR$|VISUAL$)/i.test(name);

/**
 * Returns the variables with which ssh asks no questions. The owner's own command (core.sshCommand) is kept as it is:
 * without a terminal and without a program to ask with, it cannot ask either.
 */
export function sshVariables(ownCommand: string | undefined): Record<string, string> {
  if (ownCommand !== undefined) return {};
  return { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=30' };
}
