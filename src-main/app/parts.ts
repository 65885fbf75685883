import { hasBridgyFed } from '../contract/posts.ts';
import { AssistantCalls } from '../assistants/calls.ts';
import { openAssistants } from '../assistants/part.ts';
import { openReaching } from '../address/part.ts';
import { openSelfTesting } from '../address/part-self-test.ts';
import { openData } from '../data/part.ts';
import type { Transfers } from '../data/transfers.ts';
import type { Common } from '../http/common.ts';
import { MailboxPart } from '../mailbox/part.ts';
import { createMentionActivity } from '../mentions/mention-activity.ts';
import { Mentioning } from '../mentions/part.ts';
import { openPhones } from '../phones/part.ts';
import { appNameIn, approvedWith, createAppActivity, nameOfApp } from '../sign-in/owner.ts';
import { herePath, isUsable, signInHere } from '../sign-in/here.ts';
import { openSigningIn } from '../sign-in/part.ts';
import { SiteFolder } from '../site-folder/part.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import { notLiveYet, withAdopted } from './adopted-mentions.ts';
import { openBackupReading } from './backup-reading.ts';
import { openCloudflare } from './cloudflare.ts';
import type { Foundation } from './foundation.ts';
import { createIdentifying } from './identifying.ts';
import { keyLostNews } from './news.ts';
import { openPublishing } from './publishing.ts';
import type { ServiceOptions } from './service.ts';
import { recordTables } from './tables.ts';

/** Opens what the owner writes and what others write to the owner: sign-ins, mentions, posts, the site and the folder. */
async function openContent(options: ServiceOptions, foundation: Foundation, transfers: Transfers) {
  const { early, news, settings, ownerNews } = foundation;
  const { reading, pictures, disk, unsaved } = foundation;
  const { clock, hub } = early;
  const { gate, isManagementToken } = foundation;
  const reaching = await openReaching({ ...early, gate, settings, options });
  const { base } = reaching;
  const identifying = createIdentifying({
    ...early,
    pictures,
    settings,
    base,
    readProfile: reading.profile,
    changed: (patch) => news.emit('patch', patch),
  });
  const { profile } = identifying;
  const common: Common = { ...early, base, profile };
  news.on('settings', () => hub.emit('settings.changed', identifying.settings()));
  // Kept for later starts, if it can be saved.
  const { me } = options;
  if (me !== undefined && me !== settings.get().profile.me)
    await settings.update({ profile: { me } }).catch((error: unknown) => {
      if (!isDiskFailure(error)) throw error;
      disk.failed(error);
    });
  const assistantCalls = new AssistantCalls();
  const signingIn = await openSigningIn({
    ...common,
    pictures,
    unsaved,
    callsOf: (grantId) => assistantCalls.wordsOf(grantId),
    hasAssistants: () => settings.get().assistants.on,
    hasPhones: () => settings.get().phones.on,
    readClient: reading.client,
    settings: () => settings.get().signIn,
    keyLost: () => ownerNews.add(keyLostNews),
  });
  const { indieAuth } = signingIn;
  const mentioning = new Mentioning({
    ...common,
    pictures,
    isManagementToken,
    async readerOf(token) {
      const claims = await indieAuth.access.check(token);
      return claims?.scopes.includes('read_mentions') === true ? claims.grantId : undefined;
    },
    reading: reading.mentions,
    readLinks: reading.documents.posts('site').links,
    arrivals: createMentionActivity(gate),
    notYet: notLiveYet,
    ownerLooked: () => ownerNews.dismissAll('mentions_held'),
    settings: () => ownerNews.heldBack(settings.get().webmention),
    owned() {
      const { profile, siteFolder, webmention } = settings.get();
      return { base: base(), me: profile.me, folderSite: siteFolder.baseUrl, hosts: webmention.hosts };
    },
    targets: () => settings.get().micropub.syndicateTo.map(({ uid }) => uid),
  });
  const isBridged = () => hasBridgyFed(settings.get().micropub.syndicateTo);
  const folder = new SiteFolder({
    ...common,
    readPage: reading.isLive,
    parsing: reading.documents,
    settings: () => settings.get().siteFolder,
    isBridged,
    isRestored: foundation.isRestored,
  });
  const publishing = openPublishing({
    ...common,
    transfers,
    pictures,
    mentioning,
    folder,
    photo: identifying.photo,
    readCited: reading.cited,
    parsing: reading.documents,
    settings: () => settings.get(),
    async replacePages(pages) {
      await settings.update({ site: { pages } });
      news.emit('patch', { site: { pages } });
    },
    authorize: (request, bodyToken) => indieAuth.access.of(request, { bodyToken }),
    appName: (grantId) => appNameIn(indieAuth.grants, grantId),
    nameOfApp: (app) => nameOfApp(indieAuth.grants, app),
    apps: createAppActivity(gate, base, clock),
  });
  mentioning.connect({
    isPublicPage: publishing.site.isPublicPage,
    posts: publishing.posts,
    senders: withAdopted(publishing.posts, folder.adopted, reading.documents.markdown('site')),
    mayLeave: (path) => !folder.isWaiting(path),
    storeCopy: publishing.storeCopy,
  });
  foundation.afterRestore.connect({
    posts: publishing.posts,
    derive: (lacking) => publishing.derive(lacking),
  });
  return {
    common,
    transfers,
    reaching,
    identifying,
    signingIn,
    mentioning,
    folder,
    publishing,
    assistantCalls,
  };
}

/** Opens what the owner lets act for them: assistants and phones. */
function openDelegates(foundation: Foundation, content: Awaited<ReturnType<typeof openContent>>) {
  const { settings, unsaved } = foundation;
  const { common, reaching, signingIn, mentioning, folder, publishing, assistantCalls } = content;
  const { base, profile, clock } = common;
  const { indieAuth } = signingIn;
  const assistants = openAssistants({
    ...common,
    isOn: () => settings.get().assistants.on,
    authorize: (request) => indieAuth.access.of(request, { resource: 'mcp' }),
    posts: publishing.posts,
    apps: publishing.ofAssistants,
    adopted: folder.adopted,
    now: clock,
    media: publishing.uploads,
    mentions: mentioning.mentions,
    mayDisclose: (page) => mentioning.mayDisclose(page),
    calls: assistantCalls,
    signIn: (name, live) =>
      signInHere(indieAuth, profile().me ?? '', {
        name,
        live,
        clientId: base() + herePath,
        scopes: ['draft', 'media', 'read_mentions'],
        resource: 'mcp',
        warning: 'A program on this computer asks. It shows no code, so approve it only if you started it.',
      }),
    isLive: (grantId) => isUsable(indieAuth, grantId, clock()),
    uploaded: publishing.uploaded,
  });
  const phones = openPhones({
    ...common,
    unsaved,
    settings: () => settings.get().phones,
    signIns: { ...signingIn.decisions, askedFrom: signingIn.askedFrom, askersOf: signingIn.askersOf },
    isLasting: () => reaching.tunnelControl.mode() !== 'quick',
    approvedWith: (phone) => approvedWith(indieAuth.grants, phone),
    takeBackOf: (phone) => indieAuth.takeBackOf(phone),
    async revoke(grant) {
      await indieAuth.grants.revoke(grant);
      return indieAuth.grants.isSaved(grant);
    },
  });
  return { assistants, phones };
}

/**
 * Opens all parts of the service in order, and connects each with what it needs of later ones.
 * @throws the same errors as `openApp`
 */
export async function openParts(options: ServiceOptions, foundation: Foundation, transfers: Transfers) {
  const content = await openContent(options, foundation, transfers);
  const { common, reaching, identifying, mentioning, folder, publishing } = content;
  const { base, listener, tunnel } = reaching;
  const { profile } = identifying;
  const { settings, fetching, reading } = foundation;
  const selfTesting = await openSelfTesting({
    ...common,
    readRels: reading.rels,
    readProfile: reading.profile,
    bridge: () => {
      const { siteFolder, site } = settings.get();
      const { name, photo } = profile();
      return {
        home: siteFolder.on ? siteFolder.baseUrl : base(),
        own: siteFolder.on ? null : { name, hasPhoto: photo !== '' || site.photo !== '' },
        redirectsFile: () => folder.redirectsFile(),
      };
    },
    present: () => ({
      on: listener.state.kind === 'on',
      tunnel: tunnel(),
      mediaLimitBytes: settings.get().micropub.mediaLimitBytes,
      me: profile().me,
      hasAssistants: settings.get().assistants.on,
    }),
    port: () => listener.port,
  });
  fetching.connect({ base, ownAddresses: selfTesting.ownAddresses });
  const data = await openData({
    ...common,
    transfers,
    desktop: options.desktop,
    tables: recordTables,
    reader: openBackupReading(common.clock, common.log),
    takeAll: {
      posts: publishing.posts,
      media: publishing.media,
      shown: publishing.shown,
      makeContent: reading.documents.posts('owner').content,
    },
    mentions: mentioning.mentions,
    settings: () => settings.get(),
  });
  const mailbox = new MailboxPart({
    ...common,
    listener,
    mentioning,
    posts: publishing.posts,
    requestKept: (...request) => publishing.site.websub.requestKept(...request),
    settings: () => settings.get(),
    isReachable: () => reaching.tunnelControl.mode() === 'off' || tunnel().state === 'connected',
  });
  publishing.connect(mailbox);
  const cloudflare = await openCloudflare({
    ...common,
    settings,
    reaching,
    mailbox,
    fixedBase: options.baseUrl,
  });
  return { ...content, ...openDelegates(foundation, content), selfTesting, data, mailbox, cloudflare };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;
