/** The words of the pages “Posting” and “Webmentions” of the settings. */

export const postingWords = {
  title: 'Posting',
  about: 'What Porchlight offers to apps that post for you, and what they may upload.',
  settings: {
    categories: {
      label: 'Categories',
      about:
        'Apps suggest these while you write, with those that your posts already use. Press Enter to add one.',
      also: 'tags topics',
    },
    channels: {
      label: 'Channels',
      about: 'Parts of your site that apps can post to.',
      also: 'sections feeds',
    },
    syndicateTo: {
      label: 'Cross-posting targets',
      about:
        'Choose from these for each public post. If the ID is a service’s web address, Porchlight sends the post there and links to the copy. Other targets are only offered to apps. Before you use Bridgy, connect your accounts at https://brid.gy.',
      also: 'syndication syndicate mastodon bluesky github bridgy indienews share posse',
    },
    bridge: {
      label: 'Fediverse and Bluesky (Bridgy Fed)',
      about:
        'People in the fediverse, such as on Mastodon, and on Bluesky can follow your site as an account.',
      also: 'activitypub mastodon follow followers bridge webfinger',
    },
    mediaLimitBytes: {
      label: 'Largest file that apps may upload, in MB',
      about: 'Cloudflare’s free plan allows up to 100 MB.',
      also: 'size limit media photo video megabytes',
    },
    removePhotoMetadata: {
      label: 'Remove location and device details from photos',
      about: 'Photos from a phone often reveal where you took them. The picture itself stays the same.',
      also: 'privacy exif gps metadata camera place',
    },
  },
  exampleCategories: 'garden, walks, …',
  channel: { one: 'channel', uid: 'ID', placeholder: 'notes' },
  target: { one: 'target', uid: 'ID, often a web address', placeholder: 'https://service.example/' },
  limitMissing: 'Enter how large a file may be.',
};

/** “Fediverse and Bluesky (Bridgy Fed)”. */
export const bridgeWords = {
  meaning: [
    'You choose it for each post. It bridges public posts from the last two weeks, with later edits and deletions. Replies and likes arrive as mentions.',
    'A nonprofit, A New Social, runs Bridgy Fed. It and your followers’ servers store copies of your posts, and may keep them after you delete a post.',
    'To leave, turn it off here and add #nobridge to the profile on your home page. Then update your profile at fed.brid.gy, or write to feedback@brid.gy.',
  ],
  turnOn: 'Turn on',
  turnOnAndOpen: 'Turn on and open fed.brid.gy',
  turnOff: 'Turn off',
  failed: 'Your change wasn’t saved.',
  isOn: 'On.',
  accounts: (site: string) =>
    `Your account: @${site}@${site} in the fediverse, ${site}.web.brid.gy on Bluesky.`,
  once: (site: string) =>
    `Once everything below is fine, open fed.brid.gy and enter ${site}. You need to do this only once.`,
  open: 'Open fed.brid.gy',
  loading: 'the check of your site',
  again: 'Check again',
  fine: 'Your site has everything that Bridgy Fed needs.',
  lines: 'Lines for the redirects file of your web host:',
  linesAbout:
    'Netlify, Cloudflare Pages and others read them from a file named _redirects. On other hosts, redirect both addresses, with their query. GitHub Pages can’t do this.',
  linesName: 'the lines for your web host',
};

export const rowsWords = {
  name: 'Name',
  nameOf: (one: string, row: number) => `Name of ${one} ${row}`,
  uidOf: (uid: string, one: string, row: number) => `${uid} of ${one} ${row}`,
  remove: (one: string, which: string | number) => `Remove ${one} ${which}`,
  add: (one: string) => `Add a ${one}`,
  addOffer: (name: string) => `Add ${name}`,
  nameMissing: 'Enter a name. Apps show it.',
  uidMissing: 'Enter an ID. Apps send it.',
  uidTaken: 'Another row already has this ID.',
};

export const webmentionWords = {
  title: 'Webmentions',
  about: 'What other sites say about your pages, and which mentions Porchlight shows.',
  settings: {
    hold: { label: 'Mentions that wait for your approval', also: 'moderation moderate hold spam review' },
    trustedDomains: {
      label: 'Trusted sites',
      about:
        'Porchlight shows their mentions at once, even if mentions by new people wait. Press Enter to add a site.',
      also: 'friends allow list domains subdomains',
    },
    hosts: {
      label: 'Your other sites',
      about:
        'Pages of your own site can always receive mentions. Add other sites that receive mentions here.',
      also: 'hosts domains accept receive',
    },
    aggregatorUrl: {
      label: 'Import mentions from',
      about: 'Enter https://webmention.io, or the address of a compatible server.',
      also: 'webmention.io aggregator older history',
    },
    catchUp: {
      label: 'Fetch missed mentions',
      about:
        'After your first import, Porchlight fetches mentions that arrived while this computer was off. Once a week, it deletes mentions that were deleted at webmention.io. If there are many, it asks first.',
      also: 'webmention.io aggregator catch up sync weekly deleted',
    },
    blocked: {
      label: 'Blocked people and sites',
      about:
        'Porchlight accepts no mentions by these people or from these sites, and hides those that are here. To block a person or a site, open a mention.',
      also: 'spam ban block list unblock author',
    },
  },
  hold: {
    nothing: {
      label: 'None',
      description: 'Porchlight shows every mention at once. You can hide or delete it later.',
    },
    strangers: {
      label: 'Mentions by new people',
      description:
        'Porchlight shows mentions from sites that you trust at once, and mentions by people whom you approved before on the same site.',
    },
    everything: {
      label: 'Every mention',
      description: 'Porchlight shows a mention only after you approve it.',
    },
  },
  exampleTrusted: 'friend.example, …',
  exampleHosts: 'photos.example, …',
  badAddress: 'Enter a web address that starts with https:// or http://.',
  badSite: (site: string) => `“${site}” isn’t the name of a site. Enter a name such as friend.example.`,
};

export const blockedWords = {
  loading: 'the blocked people and sites',
  noPeople: 'No people are blocked.',
  noSites: 'No sites are blocked.',
  unblock: 'Unblock',
  unblockEntry: (entry: string) => `Unblock ${entry}`,
  failed: 'Porchlight could not unblock this.',
};
