import type { Handlers } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { PostItem } from '../../src-main/contract/posts.ts';
import type { Settings, SettingsPatch } from '../../src-main/contract/settings.ts';
import { assistantScopes, knownScopes } from '../../src-main/contract/sign-ins.ts';
import { permissionsOf } from '../../src-main/sign-in/scope.ts';
import { activityHandlers } from './window-activity-handlers.ts';
import { cloudflareHandlers } from './window-cloudflare-handlers.ts';
import { dataHandlers } from './window-data-handlers.ts';
import { mediaIn, mediaItem, thumbnailOf, usesOf, listMedia } from './window-media.ts';
import { deliveryHandlers } from './window-delivery-handlers.ts';
import { exportHandlers } from './window-export-handlers.ts';
import { folderHandlers } from './window-folder-handlers.ts';
import { importHandlers } from './window-import-handlers.ts';
import { mentionHandlers } from './window-mention-handlers.ts';
import { reachHandlers } from './window-reach-handlers.ts';
import { newPost, postOf, sourceOf, listPosts, pageOf, someVersions } from './window-posts.ts';
import { setupHandlersOf } from './window-setup-handlers.ts';
import { noFiles, type House } from './window-house.ts';

export { livedInHouse, newHouse, quietHouse, waitingSignIn } from './window-house.ts';
export type { House } from './window-house.ts';

/** A service for `house`: what is done shows in what is asked next. */
export function houseHandlers(house: House): Handlers {
  let hasNtfy = false;
  const settle = (id: string, outcome: 'approved' | 'denied') => {
    if (!house.signIns.some((signIn) => signIn.id === id)) {
      throw new PorchlightError('not_found', 'This sign-in is no longer waiting for approval.', 404);
    }
    house.signIns = house.signIns.filter((signIn) => signIn.id !== id);
    house.status = { ...house.status, waiting: house.signIns.length };
    return { id, outcome };
  };
  const turn = (server: 'on' | 'off') => {
    const words = server === 'on' ? `On, reachable at ${house.status.baseUrl}` : 'Off';
    house.status = { ...house.status, server, words, port: server === 'on' ? 4711 : null };
    return house.status;
  };
  const answer =
    <P, R>(from: (params: P) => R) =>
    (params: P) =>
      new Promise<R>((resolve) => resolve(from(params)));
  return {
    'status.get': answer(() => house.status),
    'status.dismiss': answer(({ id }) => {
      const problems = house.status.problems.filter((problem) => problem.id !== id);
      house.status = { ...house.status, problems };
      return house.status;
    }),
    'server.turnOn': answer(() => turn('on')),
    'server.turnOff': answer(() => turn('off')),
    'server.usePort': answer(() => turn('on')),
    ...cloudflareHandlers(house),
    'signIns.list': answer(() => house.signIns),
    'signIns.approve': answer(({ id }) => settle(id, 'approved')),
    'signIns.deny': answer(({ id }) => settle(id, 'denied')),
    'signIns.history': answer(() => house.history),
    'signIns.undo': answer(({ id }) => {
      house.history = house.history.map(({ canUndo: _gone, ...past }) => past);
      return { id, saved: true };
    }),
    'phones.list': answer(() => house.phones ?? []),
    'phones.pair': answer(() => ({
      id: 'phone-new',
      url: 'https://ada.example/phone#pair=c2hvd24tdGhpcy1vbmNlLXNlY3JldC1vZi1hLXBhaXI',
      expiresAt: '2026-11-21T08:05:00.000Z',
    })),
    'phones.confirm': answer(({ id }) => {
      const { code: _code, ...paired } = house.phones!.find((phone) => phone.id === id)!;
      house.phones = house.phones!.map((phone) => (phone.id === id ? paired : phone));
      return paired;
    }),
    'phones.remove': answer(({ id }) => {
      house.phones = house.phones?.filter((phone) => phone.id !== id);
      return { id, saved: true };
    }),
    // Only the command calls these.
    'assistants.open': answer(() => ({ id: 'session' })),
    'assistants.message': answer(() => ({ answer: null })),
    'assistants.close': answer(() => ({})),
    'apps.list': answer(() => house.apps),
    'apps.permissions': answer(({ assistant }) =>
      assistant === true ? permissionsOf(assistantScopes, 'mcp') : permissionsOf(knownScopes),
    ),
    'apps.rename': answer(({ id, name }) => {
      house.apps = house.apps.map((app) =>
        app.id === id ? { ...app, name: name === '' ? null : name } : app,
      );
      const renamed = house.apps.find((app) => app.id === id);
      if (!renamed) throw new PorchlightError('not_found', 'This app is not signed in.', 404);
      return renamed;
    }),
    'apps.revoke': answer(({ id }) => {
      house.apps = house.apps.filter((app) => app.id !== id);
      return { id, saved: true };
    }),
    'apps.issueToken': answer(({ scopes }) => ({
      id: 'app-new',
      token: 'pl_c2hvd24tdGhpcy1vbmNl.example',
      scope: scopes.join(' '),
      me: house.settings.profile.me ?? '',
      expiresAt: null,
    })),
    'posts.categories': answer(() => [...house.settings.micropub.categories, 'winter']),
    'posts.list': answer((query) => listPosts(house.posts, query)),
    'posts.get': answer(({ url }) => {
      const item = postIn(house, url);
      return { item, post: postOf(item), version: 'first' };
    }),
    'posts.page': answer(({ url }) => pageOf(postIn(house, url))),
    'posts.versionTexts': answer(() => ({
      before: { name: 'On porches', text: 'A porch was a room with one wall missing.' },
      after: { name: 'On porches', text: 'A porch is a room with one wall missing, and a lamp.' },
    })),
    'posts.create': answer((written) => {
      const item = newPost(written, '2026-11-21T08:00:00.000Z');
      house.posts = [item, ...house.posts];
      return item;
    }),
    'posts.source': answer(({ url }) => sourceOf(postIn(house, url))),
    'posts.update': answer(({ url, ...written }) => {
      const { text, name, status, visibility } = { ...sourceOf(postIn(house, url)), ...written };
      const item = { ...postIn(house, url), summary: text, name: name ?? '', status, visibility };
      house.posts = house.posts.map((post) => (post.url === url ? item : post));
      return { ...item, version: 'next' };
    }),
    'posts.preview': answer(({ post }) => ({ html: `<p>${post.text}</p>`, css: '' })),
    'posts.citedPage': answer(({ url }) =>
      url === 'https://wren.example/cats'
        ? { title: 'Cats on porches', author: 'Wren' }
        : { title: '', author: '' },
    ),
    'site.preview': answer(({ site, page }) => {
      if (typeof page === 'object') {
        const html = `<article><h1>${page.title}</h1><div class="e-content">${page.text}</div></article>`;
        return { html, css: '' };
      }
      const { title, tagline, theme } = { ...house.settings.site, ...site };
      return {
        html: `<main><h1>${title}</h1><p>${tagline}</p><p>${theme}, ${page}</p></main>`,
        css: 'main { margin: 0; }',
      };
    }),
    'posts.edits': answer(() => ({ edits: null })),
    'posts.keepEdits': answer(({ edits }) => ({ savedAt: edits && '2026-11-21T08:00:00.000Z' })),
    'posts.history': answer(({ url }) => ({ items: url.endsWith('/on-porches') ? someVersions : [] })),
    'posts.restoreVersion': answer(({ url }) => ({ ...postIn(house, url), version: 'next' })),
    'posts.delete': answer(({ url }) => setDeleted(house, url, '2026-11-21T08:00:00.000Z')),
    'posts.undelete': answer(({ url }) => setDeleted(house, url, null)),
    'posts.damaged': answer(() => house.damaged),
    'posts.files': answer(() => house.files),
    'posts.readFiles': answer(() => {
      const { files } = house;
      house.files = noFiles;
      return files;
    }),
    'posts.restoreCopy': answer(({ path }) => {
      const restored = house.damaged.find((post) => post.path === path)?.item ?? null;
      house.damaged = house.damaged.filter((post) => post.path !== path);
      if (restored) house.posts = [restored, ...house.posts];
      return { item: restored };
    }),
    'media.list': answer((query) => ({ ...listMedia(house.media, query), converting: 0 })),
    'media.get': answer(({ url }) => {
      const item = mediaIn(house.media, url);
      return { item, versions: 'made', uses: usesOf(item, house.posts) };
    }),
    'media.thumbnail': answer(({ url }) => ({ dataUrl: thumbnailOf(mediaIn(house.media, url)) })),
    'media.upload': answer(({ name }) => {
      const item = mediaItem(`n3Wf-${name}`, '2026-11-21T08:00:00.000Z', { name });
      house.media = [item, ...house.media];
      return item;
    }),
    'media.delete': answer(({ url }) => {
      const item = mediaIn(house.media, url);
      house.media = house.media.filter((one) => one !== item);
      return item;
    }),
    ...mentionHandlers(house),
    ...deliveryHandlers(house),
    ...exportHandlers(house),
    ...folderHandlers(house),
    ...importHandlers(),
    'settings.get': answer(() => house.settings),
    'settings.update': answer((patch: SettingsPatch) => {
      house.settings = merged(house.settings, patch);
      const { mode, publicUrl } = house.settings.tunnel;
      if (patch.tunnel && mode === 'off' && publicUrl !== '')
        house.status = { ...house.status, baseUrl: publicUrl };
      return house.settings;
    }),
    'profile.read': answer(() => house.readProfile),
    'profile.photo': answer(() => ({ dataUrl: house.photo })),
    'profile.setPhoto': answer(({ data }) => {
      house.photo = `data:image/png;base64,${data}`;
      return house.settings;
    }),
    'profile.removePhoto': answer(() => {
      house.photo = null;
      house.settings = merged(house.settings, { profile: { photo: '' } });
      return house.settings;
    }),
    'secrets.managementToken': answer(() => ({ token: 'management-token-1' })),
    'secrets.setNtfy': answer(({ server }) => ({ stored: (hasNtfy = server !== '') })),
    'secrets.hasNtfy': answer(() => ({ stored: hasNtfy })),
    'secrets.rotateManagementToken': answer(() => ({ token: 'management-token-2', saved: true })),
    ...setupHandlersOf(house),
    ...reachHandlers(house),
    ...activityHandlers(house),
    ...dataHandlers(house),
  };
}

function postIn({ posts }: House, url: string): PostItem {
  const item = posts.find((post) => post.url === url);
  if (item === undefined) throw new PorchlightError('not_found', 'This post is not here any more.', 404);
  return item;
}

function setDeleted(house: House, url: string, deletedAt: string | null): PostItem {
  const item = { ...postIn(house, url), deletedAt };
  house.posts = house.posts.map((post) => (post.url === url ? item : post));
  return item;
}

function merged(settings: Settings, patch: SettingsPatch): Settings {
  return {
    profile: { ...settings.profile, ...patch.profile },
    signIn: { ...settings.signIn, ...patch.signIn },
    micropub: { ...settings.micropub, ...patch.micropub },
    posting: { ...settings.posting, ...patch.posting },
    webmention: { ...settings.webmention, ...patch.webmention },
    tunnel: { ...settings.tunnel, ...patch.tunnel },
    cloudflared: { ...settings.cloudflared, ...patch.cloudflared },
    desktop: { ...settings.desktop, ...patch.desktop },
    backup: { ...settings.backup, ...patch.backup },
    site: { ...settings.site, ...patch.site },
    siteFolder: { ...settings.siteFolder, ...patch.siteFolder },
    assistants: { ...settings.assistants, ...patch.assistants },
    phones: { ...settings.phones, ...patch.phones },
  };
}
