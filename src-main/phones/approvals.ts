import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { closed, Id, orNull, Scope } from '../contract/shapes.ts';
import { readsAndPublishes, type SignIn } from '../contract/sign-ins.ts';
import { visitorOf } from '../http/client-address.ts';
import { nothingHere } from '../http/errors.ts';
import { Assertion, challengeOf } from './assertion.ts';
import type { Phones } from './phones.ts';

/** What a phone sends to approve or deny a sign-in. `passkey` signs all the rest. */
export const PhoneDecision = closed({
  decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
  id: Id,
  scopes: Type.Array(Scope, { maxItems: 100 }),
  expiresIn: orNull(Type.Integer({ minimum: 1, maximum: 315_360_000 })),
  number: Type.String({ pattern: '^([0-9]{2})?$' }),
  passkey: Assertion,
});

/** The sign-ins, as the window decides about them. `by`: the phone. */
export interface SignInsForPhones {
  waiting(): SignIn[];
  approve(approval: Params<'signIns.approve'>, by: { id: string; name: string }): Promise<unknown>;
  deny(id: string, by: { id: string; name: string }): Promise<unknown>;
  askedFrom(
    id: string,
    request: FastifyRequest,
  ): { isHere: boolean; visitor: string | undefined; nonce: string } | undefined;
  askersOf(id: string): readonly string[];
}

const publishing = ['create', 'post', 'update'];

/**
 * Returns the scopes that a phone may give an app, and those that it may not. Reading mentions together with publishing,
 * and an assistant that publishes, are reviewed at the computer. `allowed`: the owner's setting.
 */
function phoneScopes({ scopes, held = [], assistant }: SignIn, allowed: readonly string[]) {
  let given = scopes.filter((scope) => allowed.includes(scope));
  const without = (...names: string[]) => (given = given.filter((scope) => !names.includes(scope)));
  if (assistant === true || readsAndPublishes([...given, ...held])) without(...publishing);
  if (readsAndPublishes([...given, ...held])) without('read_mentions');
  if (!given.includes('profile')) without('email');
  return { given, leftOut: scopes.filter((scope) => !given.includes(scope)) };
}

/**
 * Creates what a paired phone sees and decides. `isOn`: whether the owner lets phones approve. `allowed`: returns the
 * scopes that the owner lets phones give.
 */
export function createApprovals(
  signIns: SignInsForPhones,
  phones: Pick<Phones, 'check'>,
  { isOn, allowed }: { isOn: () => boolean; allowed: () => readonly string[] },
) {
  /** Returns where a sign-in was asked, as far as that can be compared; null if it can't. */
  function networkOf(asked: string | undefined, own: string | undefined): 'same' | 'another' | null {
    if (asked === undefined || own === undefined) return null;
    // A computer may use one version of IP and a phone in the same home the other.
    return asked === own ? 'same' : asked.includes(':') === own.includes(':') ? 'another' : null;
  }

  return {
    /** Returns what waits, for a phone whose cookie came with `request`. */
    shown: (request: FastifyRequest) =>
      signIns.waiting().flatMap((signIn) => {
        const asked = signIns.askedFrom(signIn.id, request);
        if (!asked) return [];
        const { id, clientId, clientName, clientHost, redirectUri, permissions, warnings, device } = signIn;
        const { given, leftOut } = phoneScopes(signIn, allowed());
        return {
          id,
          clientId,
          clientName,
          clientHost,
          redirectUri,
          warnings,
          device,
          leftOut,
          permissions: permissions.filter(({ scope }) => given.includes(scope)),
          nonce: asked.nonce,
          network: networkOf(asked.visitor, visitorOf(request)),
          // Another browser has to show the number to the owner.
          number: asked.isHere ? signIn.matchCode : null,
        };
      }),

    /**
     * Carries out what a phone has signed. A signed wrong number denies the sign-in.
     * @throws PorchlightError `not_found`, `forbidden`, `invalid_scope`; the errors of the window's Approve
     */
    async decide({ passkey, ...decided }: Static<typeof PhoneDecision>, request: FastifyRequest) {
      const { id, decision, scopes, expiresIn, number } = decided;
      const signIn = signIns.waiting().find((one) => one.id === id);
      const asked = signIns.askedFrom(id, request);
      if (!signIn || !asked)
        throw new PorchlightError('not_found', 'This sign-in is no longer waiting for approval.', 404);
      const { clientId, redirectUri } = signIn;
      const challenge = challengeOf({ ...decided, clientId, redirectUri, nonce: asked.nonce });
      const { id: phone, name } = await phones.check(passkey, challenge);
      // The owner may have turned phones off while the request arrived.
      if (!isOn()) throw nothingHere();
      // Only a phone learns what it may give: that depends on the owner's settings, and on what the app already holds.
      const { given } = phoneScopes(signIn, allowed());
      if (!scopes.every((scope) => given.includes(scope)))
        throw new PorchlightError('invalid_scope', 'A phone may not give these permissions.');
      const by = { id: phone, name };
      if (decision === 'approve' && number === signIn.matchCode) {
        await signIns.approve({ id, scopes, ...(expiresIn !== null && { expiresIn }) }, by);
        return { outcome: 'approved' };
      }
      await signIns.deny(id, by);
      return { outcome: 'denied' };
    },
  };
}
