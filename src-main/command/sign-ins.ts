import { knownScopes, type SignIn } from '../contract/sign-ins.ts';
import { isEmailWithoutProfile } from '../sign-in/scope.ts';
import { plainLine } from '../platform/plain-line.ts';
import { CliError, type Command, usageError } from './command.ts';
import { shortLine, table, remainingTime } from './text.ts';

export const signIns: Command = {
  help: 'List the sign-ins that are waiting for approval',
  words: [0, 0],
  options: {},
  async run(server) {
    const waiting = await server.call('signIns.list', {});
    return { json: waiting, text: signInsText(waiting, Date.now()) };
  },
};

/** Returns the waiting sign-ins as a table. `now`: the current time in ms. */
export function signInsText(waiting: readonly SignIn[], now: number): string {
  if (waiting.length === 0) return 'No sign-ins are waiting.\n';
  return table([
    ['CODE', 'APP', 'HOST', 'PERMISSIONS', 'EXPIRES IN'],
    ...waiting.map(({ matchCode, clientName, clientHost, scopes, expiresAt }) => [
      matchCode,
      shortLine(clientName, 30),
      shortLine(clientHost, 40),
      scopes.length === 0 ? 'none' : shortLine(scopes.join(' '), 40),
      remainingTime(expiresAt, now),
    ]),
  ]);
}

export const approve: Command = {
  takes: 'CODE',
  help: 'Approve the sign-in with this two-digit code',
  words: [1, 1],
  options: { yes: { help: 'Approve without asking' } },
  async run(server, given, terminal) {
    const [code = ''] = given.words;
    if (!/^\d{2}$/.test(code))
      throw usageError('CODE is the two-digit code that your browser shows: porchlight approve 42');
    const signIn = signInWith(code, await server.call('signIns.list', {}), Date.now());
    terminal.note(signInText(signIn));
    if (!given.flag('yes')) {
      if (!terminal.asks)
        throw usageError('There is no terminal to ask you on. Add --yes to approve without asking.');
      const answer = await terminal.ask('Approve this sign-in? [y/N] ');
      if (!/^y(es)?$/i.test(answer.trim()))
        throw new CliError('not_approved', 'Not approved. The sign-in is still waiting.');
    }
    // Approve the sign-in by its id, because another sign-in can have the same code, but never the same id.
    const settled = await server.call('signIns.approve', { id: signIn.id, scopes: grantable(signIn.scopes) });
    const name = shortLine(signIn.clientName, 60);
    return { json: settled, text: `Approved: ${name}. Go back to your browser.\n` };
  },
};

/** Creates a token by hand. */
export const token: Command = {
  takes: 'NAME',
  help: 'Create an access token for a program that can’t ask to sign in',
  words: [1, 1],
  options: {
    scope: { value: 'SCOPE', completes: knownScopes, help: 'A permission; repeat it for more permissions' },
    assistant: { help: 'For an assistant: the token works at the address that ends in /mcp, only' },
  },
  async run(server, given) {
    const [label = ''] = given.words;
    const scopes = given.values('scope');
    if (scopes.length === 0)
      throw usageError('Add at least one --scope: porchlight token Notes --scope draft');
    const assistant = given.flag('assistant');
    const issued = await server.call('apps.issueToken', { label, scopes: [...scopes], assistant });
    return { json: issued, text: `${issued.token}\n` };
  },
};

/**
 * Returns the only waiting, unexpired sign-in with this code.
 * @throws {CliError} if no such sign-in exists, or more than one.
 */
export function signInWith(code: string, waiting: readonly SignIn[], now: number): SignIn {
  const [found, another] = waiting.filter(
    ({ matchCode, expiresAt }) => matchCode === code && Date.parse(expiresAt) > now,
  );
  if (!found)
    throw new CliError(
      'not_found',
      `No sign-in with the code ${code} is waiting. It may have expired: start it again in the app.`,
    );
  if (another)
    throw new CliError(
      'ambiguous',
      `Several sign-ins have the code ${code}. Approve the right one in the window.`,
    );
  return found;
}

/** Returns the text that the owner should read before approving a sign-in. */
export function signInText({ clientName, clientHost, permissions, scopes, warnings }: SignIn): string {
  const granted = grantable(scopes);
  const asked = permissions.filter(({ scope }) => granted.includes(scope));
  return [
    `Sign in to ${shortLine(clientName, 60)} (${plainLine(clientHost)})?`,
    ...(asked.length === 0 ? ['It learns your web address. It asks for no permissions.'] : ['Permissions:']),
    ...asked.map(({ scope, words }) => `  ${plainLine(scope)}: ${plainLine(words)}`),
    ...warnings.map((warning) => `Warning: ${plainLine(warning)}`),
    'Approve only if you started this sign-in and your browser shows the same code.',
  ].join('\n');
}

/** Returns the scopes that can be granted. Leaves out `email` if `profile` is missing (IndieAuth 5.2). */
function grantable(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => scope !== 'email' || !isEmailWithoutProfile(scopes));
}
