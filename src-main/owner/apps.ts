import type { App } from '../contract/apps.ts';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Profile } from '../contract/settings.ts';
import type { Grant } from '../indieauth/grant.ts';
import type { IndieAuth } from '../indieauth/indieauth.ts';
import { isEmailWithoutProfile, knownScopes, permissionsOf } from '../indieauth/scope.ts';
import type { Activity } from './activity.ts';

const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function appOf(grant: Grant): App {
  const { id, kind, clientId, clientName, clientLogo, scopes, createdAt, lastUsedAt, endsAt } = grant;
  return {
    id,
    kind,
    clientId,
    clientName,
    clientLogo,
    scopes,
    permissions: permissionsOf(scopes),
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: moment(lastUsedAt),
    expiresAt: moment(endsAt),
  };
}

interface AppDeps {
  readonly indieAuth: IndieAuth;
  readonly activity: Activity;
  readonly profile: () => Profile;
}

export function appHandlers({
  indieAuth,
  activity,
  profile,
}: AppDeps): Pick<Handlers, 'apps.list' | 'apps.permissions' | 'apps.revoke' | 'apps.issueToken'> {
  const { grants } = indieAuth;
  return {
    'apps.list': () => grants.list().map(appOf),

    'apps.permissions': () => permissionsOf(knownScopes),

    'apps.revoke': async ({ id }) => {
      const grant = grants.get(id);
      if (!grant || !(await grants.revoke(id)))
        throw new PorchlightError('not_found', 'This app is not signed in.', 404);
      const { kind, clientName } = grant;
      const words =
        kind === 'manual' ? `You revoked the token ${clientName}.` : `You signed ${clientName} out.`;
      await activity.tell('app.revoked', words);
      return { id };
    },

    'apps.issueToken': async ({ label, scopes, expiresIn }) => {
      const { me } = profile();
      if (me === null)
        throw new PorchlightError('not_set_up', 'Say who you are first: your domain is part of every token.');
      if (isEmailWithoutProfile(scopes))
        throw new PorchlightError('invalid_scope', 'The email address is only given along with the profile.');
      const { grant, token } = await indieAuth.issueToken({
        label,
        scopes: [...new Set(scopes)],
        expiresIn,
        me,
      });
      await activity.tell('app.tokenIssued', `You made a token by hand: ${label}.`);
      return { id: grant.id, token, scope: grant.scopes.join(' '), me, expiresAt: moment(grant.endsAt) };
    },
  };
}
