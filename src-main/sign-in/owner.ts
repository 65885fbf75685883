import type { Handlers, Params } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { PostChange } from '../contract/posts.ts';
import type { Profile } from '../contract/settings.ts';
import {
  type App,
  assistantScopes,
  knownScopes,
  type Outcome,
  readsAndPublishes,
  type SignIn,
} from '../contract/sign-ins.ts';
import { appOfToken } from '../http/bearer.ts';
import type { Clock } from '../platform/clock.ts';
import type { FloodGate } from '../platform/flood-gate.ts';
import { canonical } from '../platform/web-address.ts';
import { itemOf, postWords } from '../posts/owner.ts';
import type { AdoptedPost, ChangedPost } from '../posts/post-store.ts';
import { oneLine, propertyText } from '../posts/values.ts';
import type { Activity } from '../storage/records/activity.ts';
import { type Grant, grantName } from './grant.ts';
import { herePath } from './here.ts';
import { type IndieAuth, warningsOf } from './indieauth.ts';
import { isEmailWithoutProfile, permissionsOf } from './scope.ts';
import type { DecidingPhone, SignInAnswer, Visit } from './waiting-room.ts';

/** Returns a visitor's sign-in request as the owner sees it. `held`: see IndieAuth's scopesHeld. */
export function signInOf(
  { id, matchCode, request, device, requestedAt, expiresAt }: Visit,
  held: readonly string[],
): SignIn {
  const { client, redirectUri, scopes, resource } = request;
  const isAssistant = resource === 'mcp';
  const needsReview = readsAndPublishes([...scopes, ...held]) || (isAssistant && scopes.includes('create'));
  return {
    id,
    matchCode,
    clientId: client.id,
    clientName: client.name,
    clientHost: new URL(client.id).host,
    clientLogo: client.logo,
    redirectUri,
    device,
    scopes: [...scopes],
    permissions: permissionsOf(scopes, resource),
    warnings: warningsOf(request),
    ...(held.length > 0 && { held: [...new Set(held)] }),
    ...(isAssistant && { assistant: true as const }),
    ...(needsReview && { needsReview: true as const }),
    requestedAt: new Date(requestedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

const verbs: Record<Outcome, string> = {
  approved: 'You approved a sign-in to',
  denied: 'You denied a sign-in to',
  expired: 'You didn’t answer a sign-in to',
};

/** Records a settled sign-in in the activity list. */
export function recordSignIn(
  activity: Activity,
  { id, request }: Visit,
  { outcome, scopes, by }: SignInAnswer,
): Promise<void> {
  const { id: clientId, name: clientName } = request.client;
  const how = by === undefined ? '' : ` with “${by.name}”`;
  const words = `${verbs[outcome]} ${clientName} (${new URL(clientId).host})${how}.`;
  return activity.record(`signIn.${outcome}`, words, {
    id,
    outcome,
    clientId,
    clientName,
    scopes: [...scopes],
    ...(by !== undefined && { by: by.name }),
  });
}

export type Decisions = ReturnType<typeof createDecisions>;

/** Creates the functions that carry out what the owner decides, wherever they do. `by`: the phone, if it was one. */
export function createDecisions({ waitingRoom, scopesHeld }: Pick<IndieAuth, 'waitingRoom' | 'scopesHeld'>) {
  const waiting = (): SignIn[] =>
    waitingRoom.waiting().map((visit) => signInOf(visit, scopesHeld(visit.request.clientId)));
  return {
    waiting,
    /** @throws PorchlightError `needs_review` without `both`; the errors of `WaitingRoom.approve` */
    async approve({ id, scopes, expiresIn, both }: Params<'signIns.approve'>, by?: DecidingPhone) {
      const { held = [] } = waiting().find((one) => one.id === id) ?? {};
      if (both !== true && readsAndPublishes([...scopes, ...held])) throw needsReview();
      await waitingRoom.approve(id, { scopes, expiresIn, by });
      return { id, outcome: 'approved' as const };
    },
    async deny(id: string, by?: DecidingPhone) {
      await waitingRoom.deny(id, by);
      return { id, outcome: 'denied' as const };
    },
  };
}

export function signInHandlers(
  indieAuth: Pick<IndieAuth, 'undo' | 'undoable'>,
  decisions: Decisions,
  activity: Activity,
) {
  return {
    'signIns.list': () => decisions.waiting(),
    'signIns.approve': (approval) => decisions.approve(approval),
    'signIns.deny': ({ id }) => decisions.deny(id),
    'signIns.history': ({ limit = 100 }) => {
      const undoable = indieAuth.undoable();
      return activity
        .history(limit)
        .map((past) => ({ ...past, ...(undoable.has(past.id) && { canUndo: true as const }) }));
    },
    'signIns.undo': async ({ id }) => {
      const saved = await indieAuth.undo(id);
      const past = activity.history(500).find((one) => one.id === id);
      await activity.record('signIn.undone', `You undid your approval of ${past?.clientName ?? 'an app'}.`);
      return { id, saved };
    },
  } satisfies Partial<Handlers>;
}

const needsReview = () =>
  new PorchlightError(
    'needs_review',
    'This app would read mentions and publish posts, so a stranger’s words could tell it what to post. Review it in Porchlight’s window.',
    409,
  );

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
    permissions: permissionsOf(scopes, grant.resource),
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: moment(lastUsedAt),
    expiresAt: moment(endsAt),
    ...(grant.signedOutAt !== undefined && { mustSignInAgain: true as const }),
  };
}

export function appHandlers(
  indieAuth: IndieAuth,
  activity: Activity,
  profile: () => Profile,
  {
    callsOf,
    hasAssistants,
  }: {
    /** Returns what an assistant did, in words; undefined if it did nothing. */
    readonly callsOf: (grantId: string) => string | undefined;
    readonly hasAssistants: () => boolean;
  },
) {
  const { grants } = indieAuth;
  return {
    'apps.list': () =>
      grants.list().map((grant) => {
        const calls = callsOf(grant.id);
        return { ...appOf(grant), ...(calls !== undefined && { calls }) };
      }),

    'apps.permissions': ({ assistant }) =>
      assistant === true ? permissionsOf(assistantScopes, 'mcp') : permissionsOf(knownScopes),

    'apps.rename': async ({ id, name }) => {
      const before = grants.get(id);
      const grant = before && (await grants.rename(id, name.replace(/\s+/g, ' ').trim()));
      if (!grant) throw new PorchlightError('not_found', 'This app is not signed in.', 404);
      if (grantName(before) !== grantName(grant))
        await activity.record('app.renamed', `You renamed ${grantName(before)} to ${grantName(grant)}.`);
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
      await activity.record('app.revoked', words);
      return { id, saved: grants.isSaved(id) };
    },

    'apps.issueToken': async ({ label, scopes, expiresIn, assistant }) => {
      const { me } = profile();
      if (me === null)
        throw new PorchlightError('not_set_up', 'Enter your domain first. Every token contains it.');
      if (isEmailWithoutProfile(scopes))
        throw new PorchlightError(
          'invalid_scope',
          'An app that gets your email address needs your profile too.',
        );
      if (readsAndPublishes(scopes)) throw needsReview();
      if (assistant === true && !hasAssistants())
        throw new PorchlightError('not_allowed', 'Turn on Settings → Assistants in Porchlight first.');
      const { grant, token } = await indieAuth.issueToken({
        label,
        scopes: [...new Set(scopes)],
        expiresIn,
        me,
        resource: assistant === true ? 'mcp' : undefined,
      });
      await activity.record('app.tokenIssued', `You created the token ${label}.`);
      return { id: grant.id, token, scope: grant.scopes.join(' '), me, expiresAt: moment(grant.endsAt) };
    },
  } satisfies Partial<Handlers>;
}

/** Returns the name of an app by the name that posts record it under (see Bearer.app). */
export function nameOfApp(grants: Pick<IndieAuth['grants'], 'list'>, app: string): string {
  const grant = grants
    .list()
    .find(({ id, kind, clientId }) => app === (kind === 'manual' ? appOfToken(id) : canonical(clientId)));
  if (grant || !URL.canParse(app)) return grant ? grantName(grant) : 'An app';
  const { pathname, host } = new URL(app);
  return pathname === herePath ? 'An assistant on this computer' : host;
}

/** Returns the access of apps that the owner approved with a phone. */
export const approvedWith = (grants: Pick<IndieAuth['grants'], 'list'>, phone: string) =>
  grants
    .list()
    .filter((grant) => grant.phone === phone)
    .map((grant) => ({ id: grant.id, name: grantName(grant) }));

/** Returns the name of the app that holds a grant, for the owner's activity list. */
export function appNameIn(grants: Pick<IndieAuth['grants'], 'get'>, grantId: string): string {
  const grant = grants.get(grantId);
  return grant ? grantName(grant) : 'An app';
}

export type AppActivity = ReturnType<typeof createAppActivity>;

const activityVerbs: Record<PostChange['change'], string> = {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  undeleted: 'restored',
};

/**
 * Creates the functions that record the changes that apps make through Micropub. Each app's changes are counted
 * separately, so that one busy app can't push another app's changes out of the list. They resolve once the entry is on
 * disk. `base`: returns the public origin.
 */
export function createAppActivity(gate: Pick<FloodGate, 'pass'>, base: () => string, clock: Clock) {
  return {
    posted(changedPost: ChangedPost, appName: string): Promise<void> {
      const { change, post } = changedPost;
      return gate.pass({
        group: `${appName} ${change}`,
        kind: `post.${change}`,
        words: postWords(appName, changedPost, itemOf(post, base(), clock())),
        more: (count) =>
          `${appName} ${activityVerbs[change]} ${count} more ${count === 1 ? 'post' : 'posts'}.`,
      });
    },

    /** Records that an app changed a post that was already in the owner's folder. */
    editedFile({ file, properties }: AdoptedPost, appName: string): Promise<void> {
      const title = oneLine(propertyText(properties, 'name') ?? '') || file;
      return gate.pass({
        group: `${appName} adopted`,
        kind: 'post.updated',
        words: `${appName} updated a post in your site’s folder: “${title}”`,
        more: (count) =>
          `${appName} updated ${count} more ${count === 1 ? 'post' : 'posts'} in your site’s folder.`,
      });
    },

    uploadedFile({ name }: { readonly name: string }, appName: string): Promise<void> {
      return gate.pass({
        group: `${appName} upload`,
        kind: 'media.added',
        words: `${appName} uploaded the file ${name}.`,
        more: (count) => `${appName} uploaded ${count} more ${count === 1 ? 'file' : 'files'}.`,
      });
    },

    deletedFile({ name }: { readonly name: string }, appName: string): Promise<void> {
      return gate.pass({
        group: `${appName} media`,
        kind: 'media.deleted',
        words: `${appName} deleted the file ${name}.`,
        more: (count) => `${appName} deleted ${count} more ${count === 1 ? 'file' : 'files'}.`,
      });
    },
  };
}
