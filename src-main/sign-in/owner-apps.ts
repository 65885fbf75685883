import type { App } from '../contract/apps.ts';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Profile } from '../contract/settings.ts';
import { grantName, type Grant } from './grant.ts';
import type { IndieAuth } from './indieauth.ts';
import { isEmailWithoutProfile, permissionsOf } from './scope.ts';
import { knownScopes } from '../contract/sign-ins.ts';
import type { Activity } from '../storage/records/activity.ts';

const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function appOf(grant: Grant): App {
  const { id, kind, clientId, clientName, clientLogo, scopes, createdAt, lastUsedAt, endsAt } = grant;
  const { ownName = null, device = null } = grant;
  return {
    id,
    kind,
    clientId,
    clientName,
    name: ownName,
    device,
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

export function appHandlers({ indieAuth, activity, profile }: AppDeps) {
  const { grants } = indieAuth;
  return {
    'apps.list': () => grants.list().map(appOf),

    'apps.permissions': () => permissionsOf(knownScopes),

    'apps.rename': async ({ id, name }) => {
      const before = grants.get(id);
      const grant = before && (await grants.rename(id, name.replace(/\s+/g, ' ').trim()));
      if (!grant) throw new PorchlightError('not_found', 'This app is not signed in.', 404);
      if (grantName(before) !== grantName(grant))
        await activity.tell('app.renamed', `You renamed ${grantName(before)} to ${grantName(grant)}.`);
      return appOf(grant);
    },

    'apps.revoke': async ({ id }) => {
      const grant = grants.get(id);
      if (!grant || !(await grants.revoke(id)))
        throw new PorchlightError('not_found', 'This app is not signed in.', 404);
      const words =
        grant.kind === 'manual'
          ? `You revoked the token ${grantName(grant)}.`
          : `You signed out ${grantName(grant)}.`;
      await activity.tell('app.revoked', words);
      return { id, saved: grants.isSaved(id) };
    },

    'apps.issueToken': async ({ label, scopes, expiresIn }) => {
      const { me } = profile();
      if (me === null)
        throw new PorchlightError('not_set_up', 'Enter your domain first. Every token contains it.');
      if (isEmailWithoutProfile(scopes))
        throw new PorchlightError(
          'invalid_scope',
          'An app that gets your email address needs your profile too.',
        );
      const { grant, token } = await indieAuth.issueToken({
        label,
        scopes: [...new Set(scopes)],
        expiresIn,
        me,
      });
      await activity.tell('app.tokenIssued', `You created the token ${label}.`);
      return { id: grant.id, token, scope: grant.scopes.join(' '), me, expiresAt: moment(grant.endsAt) };
    },
  } satisfies Partial<Handlers>;
}

/** Returns the name of the app that holds a grant, for the owner's activity list. */
export function appNameIn(grants: Pick<IndieAuth['grants'], 'get'>, grantId: string): string {
  const grant = grants.get(grantId);
  return grant ? grantName(grant) : 'An app';
}
