import { initialSettings } from '../../src-main/contract/settings.ts';
import type { Result } from '../../src-main/contract/contract.ts';
import type { MediaItem } from '../../src-main/contract/media.ts';
import type { DamagedPost, Delivery, PostFiles, PostItem } from '../../src-main/contract/posts.ts';
import type { Settings } from '../../src-main/contract/settings.ts';
import type { SignIn } from '../../src-main/contract/sign-ins.ts';
import type { MentionRecord } from '../../src-main/contract/webmentions.ts';
import { permissionsOf } from '../../src-main/sign-in/scope.ts';
import type { CloudflareHouse } from './window-cloudflare-handlers.ts';
import { someMedia } from './window-media.ts';
import { someDeliveries } from './window-delivery-handlers.ts';
import { someMentions } from './window-mentions.ts';
import { tunnelOff, type ReachHouse } from './window-reach-handlers.ts';
import { somePosts } from './window-posts.ts';
import { noFolder } from './window-folder-handlers.ts';

const initial = initialSettings();

export const noFiles: PostFiles = { changed: [], added: [], missing: [], ended: [], unreadable: [] };

/** What a service of a lived-in house would answer. */
export interface House extends ReachHouse {
  status: Result<'status.get'>;
  settings: Settings;
  signIns: SignIn[];
  history: Result<'signIns.history'>;
  apps: Result<'apps.list'>;
  posts: PostItem[];
  damaged: DamagedPost[];
  files: PostFiles;
  media: MediaItem[];
  mentions: MentionRecord[];
  deliveries: Delivery[];
  blocked: string[];
  blockedPeople: string[];
  importing: Result<'webmentions.importState'>;
  activity: Result<'activity.list'>;
  /** The data that restores replaced. */
  leftovers?: Result<'data.leftovers'>;
  findings: Result<'setup.check'>['findings'];
  lastCheck: Result<'setup.lastCheck'>;
  readProfile: Settings['profile'];
  tailscale: Result<'setup.tailscale'>;
  /** What Bridgy Fed needs of the site. */
  bridge: Result<'setup.checkBridge'>;
  /** The state of the folder of the owner's own site; absent while it is off. */
  folder?: Result<'siteFolder.status'>;
  /** What was set up at Cloudflare; absent while nothing was. */
  cloudflare?: CloudflareHouse;
  /** The phones, and those that wait to be confirmed. */
  phones?: Result<'phones.list'>;
  /** The owner's photo as a data URL. */
  photo: string | null;
}

const logo =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f6f6a"/><path d="M9 22V10h4l3 7 3-7h4v12" fill="none" stroke="#fff" stroke-width="2.5"/></svg>',
  );

/** A moment some minutes from `now` (milliseconds since 1970); before it where negative. */
function at(now: number, minutes: number): string {
  return new Date(now + minutes * 60_000).toISOString();
}

/** A sign-in that waits, as an app with a few wishes would make it. */
export function waitingSignIn(now: number, part: Omit<Partial<SignIn>, 'permissions'> = {}): SignIn {
  const scopes = part.scopes ?? ['profile', 'email', 'create', 'media', 'channels'];
  return {
    id: 'sign-in-1',
    matchCode: '42',
    clientId: 'https://indigenous.example/client.json',
    clientName: 'Indigenous',
    clientHost: 'indigenous.example',
    clientLogo: logo,
    redirectUri: 'https://indigenous.example/callback',
    device: 'Firefox on Windows',
    scopes,
    permissions: permissionsOf(scopes),
    warnings: [],
    requestedAt: at(now, -1),
    expiresAt: at(now, 8.5),
    ...part,
  };
}

/** A house with people at the door, apps inside, and a history. */
export function livedInHouse(now: number): House {
  return {
    status: {
      server: 'on',
      words: 'On, reachable at https://porch.marlow.example',
      baseUrl: 'https://porch.marlow.example',
      port: 4711,
      me: 'https://marlow.example/',
      flags: { baseUrl: false, tunnel: null },
      secrets: 'keychain',
      waiting: 2,
      version: '0.1.0',
      demo: false,
      problems: [
        {
          code: 'clock',
          message: 'This computer’s clock was two minutes off. Sign-ins may fail until it is right.',
        },
      ],
    },
    settings: {
      ...initial,
      profile: {
        me: 'https://marlow.example/',
        name: 'Robin Marlow',
        url: 'https://marlow.example/',
        photo: 'https://marlow.example/robin.jpg',
        email: 'robin@marlow.example',
      },
      signIn: { ...initial.signIn, refreshTokenSeconds: 30 * 86_400 },
      micropub: {
        ...initial.micropub,
        categories: ['porches', 'tea'],
        channels: [{ uid: 'notes', name: 'Notes' }],
      },
      webmention: {
        ...initial.webmention,
        hosts: ['old.marlow.example'],
        hold: 'strangers',
        trustedDomains: ['wren.example', 'sol.example'],
      },
      siteFolder: noFolder,
    },
    signIns: [
      waitingSignIn(now),
      waitingSignIn(now, {
        id: 'sign-in-2',
        matchCode: '07',
        clientId: 'http://localhost:4567/',
        clientName: '\u202Egnp.knab ruoY\u200B \u202D' + 'A very long name that goes on and on '.repeat(4),
        clientHost: 'localhost:4567',
        clientLogo: null,
        redirectUri: 'http://localhost:4567/' + 'a-path-without-any-break-in-it'.repeat(5) + '\u202E?next=1',
        scopes: ['profile'],
        warnings: [
          'This app does not protect its sign-in (no PKCE). Approve only if you trust the network in between.',
          'The app runs on this computer: Porchlight can’t look up who made it.',
        ],
        requestedAt: at(now, -0.5),
        expiresAt: at(now, 9.2),
      }),
    ],
    history: [
      {
        id: 'past-1',
        at: at(now, -95),
        outcome: 'approved',
        clientId: 'https://quill.example/',
        clientName: 'Quill',
        scopes: ['create'],
        by: 'Ada’s phone',
        canUndo: true,
      },
      {
        id: 'past-2',
        at: at(now, -1500),
        outcome: 'denied',
        clientId: 'https://free-followers.example/',
        clientName: 'متابعون مجانا',
        scopes: ['profile', 'email'],
        by: 'computer',
      },
      {
        id: 'past-3',
        at: at(now, -9000),
        outcome: 'expired',
        clientId: 'https://wiki.example/app',
        clientName: 'IndieWeb wiki',
        scopes: ['profile'],
        by: 'computer',
      },
    ],
    apps: [
      {
        id: 'app-1',
        kind: 'app',
        clientId: 'https://quill.example/',
        clientName: 'Quill',
        name: null,
        device: 'Firefox on Windows',
        clientLogo: logo,
        scopes: ['create', 'media', 'profile'],
        permissions: permissionsOf(['create', 'media', 'profile']),
        createdAt: at(now, -95),
        lastUsedAt: at(now, -12),
        expiresAt: null,
      },
      {
        id: 'app-2',
        kind: 'app',
        clientId: 'https://wiki.example/app',
        clientName: 'IndieWeb wiki',
        name: 'Wiki on my phone',
        device: 'Safari on iPhone',
        clientLogo: null,
        scopes: ['profile'],
        permissions: permissionsOf(['profile']),
        createdAt: at(now, -90_000),
        lastUsedAt: at(now, -4000),
        expiresAt: at(now, 30_000),
      },
      {
        id: 'app-3',
        kind: 'manual',
        clientId: 'https://porch.marlow.example/',
        clientName: 'Backup script',
        name: null,
        device: null,
        clientLogo: null,
        scopes: ['create'],
        permissions: permissionsOf(['create']),
        createdAt: at(now, -50_000),
        lastUsedAt: null,
        expiresAt: null,
      },
    ],
    posts: somePosts((minutes) => at(now, minutes)),
    damaged: [],
    files: noFiles,
    media: someMedia((minutes) => at(now, minutes)),
    mentions: someMentions((minutes) => at(now, minutes)),
    deliveries: someDeliveries((minutes) => at(now, minutes)),
    blocked: ['free-followers.example', 'spam.example'],
    blockedPeople: ['https://social.example/@replyguy'],
    importing: { tokenStored: false, progress: null, last: null },
    tunnel: tunnelOff,
    tunnelTokenKept: false,
    activity: {
      items: [
        { id: 'a-1', at: at(now, -1), kind: 'signIn.requested', words: 'Indigenous asks to sign you in' },
        {
          id: 'a-2',
          at: at(now, -95),
          kind: 'signIn.approved',
          words: 'You approved a sign-in to Quill (quill.example).',
        },
        {
          id: 'a-3',
          at: at(now, -1500),
          kind: 'signIn.denied',
          words: 'You denied a sign-in to متابعون مجانا (free-followers.example).',
        },
        {
          id: 'a-5',
          at: at(now, -1510),
          kind: 'post.created',
          words:
            'Quill published a note: “Fog over the harbour” (https://porch.marlow.example/posts/2026/11/fog-over-the-harbour)',
        },
        {
          id: 'a-6',
          at: at(now, -1600),
          kind: 'webmention.received',
          words:
            'Jo Wren replied to “The lamp is on, and the kettle too” (https://porch.marlow.example/posts/2026/11/the-lamp-is-on).',
        },
        { id: 'a-7', at: at(now, -1610), kind: 'webmention.received', words: '37 more mentions arrived.' },
        { id: 'a-4', at: at(now, -9000), kind: 'server.on', words: 'You turned Porchlight on.' },
      ],
    },
    findings: [
      {
        id: 'site',
        area: 'site',
        level: 'pass',
        title: 'Apps find your sign-in',
        detail: 'Your home page links to https://porch.marlow.example.',
      },
      {
        id: 'visitors',
        area: 'address',
        level: 'warning',
        title: 'Porchlight can’t tell visitors apart',
        detail:
          'The CF-Connecting-IP header is missing, so all visitors look like one. A busy visitor can slow down the others.',
        fix: 'Configure your reverse proxy to set CF-Connecting-IP to the visitor’s IP address, and to replace any value that visitors send.',
      },
      {
        id: 'link.token_endpoint',
        area: 'site',
        level: 'fail',
        title: 'Older apps can’t find where to get access',
        detail: 'Your home page has no token_endpoint link.',
        fix: 'Put <link rel="token_endpoint" href="https://porch.marlow.example/token"> into the head of your home page.',
      },
    ],
    lastCheck: { findings: [], at: at(now, -700), base: 'https://porch.marlow.example' },
    photo: null,
    readProfile: {
      me: 'https://marlow.example/',
      name: 'Robin Marlow',
      url: 'https://marlow.example/',
      photo: 'https://marlow.example/robin.jpg',
      email: '',
    },
    tailscale: { state: 'missing', name: null },
    bridge: { site: 'porch.marlow.example', findings: [], lines: null },
  };
}

/** The house before anybody lives in it: nobody has told whose it is. */
export function newHouse(now: number): House {
  const house = livedInHouse(now);
  return {
    ...house,
    status: { ...house.status, me: null, waiting: 0, problems: [] },
    settings: {
      ...house.settings,
      profile: { me: null, name: '', url: '', photo: '', email: '' },
      webmention: { ...house.settings.webmention, hold: 'nothing' },
    },
    signIns: [],
    history: [],
    apps: [],
    posts: [],
    damaged: [],
    files: noFiles,
    media: [],
    mentions: [],
    deliveries: [],
    blocked: [],
    blockedPeople: [],
    activity: { items: [] },
    findings: [],
    lastCheck: null,
  };
}

/** A house that somebody lives in, but where nothing has happened yet. */
export function quietHouse(now: number): House {
  const { status, settings, lastCheck } = livedInHouse(now);
  return { ...newHouse(now), status: { ...status, waiting: 0, problems: [] }, settings, lastCheck };
}
