import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';

type ImportHandlers = Pick<
  Handlers,
  'posts.import' | 'posts.cancelImport' | 'posts.approveImport' | 'posts.undoImport' | 'posts.imports'
>;

const kinds: Result<'posts.import'>['kinds'] = [
  { kind: 'note', count: 812 },
  { kind: 'reply', count: 240 },
  { kind: 'photo', count: 96 },
  { kind: 'repost', count: 52 },
];

const samples: Result<'posts.import'>['samples'] = [
  {
    kind: 'note',
    name: '',
    text: 'First evening with the new lamp. The moths approve.',
    files: 0,
    published: '2021-05-02T19:30:00Z',
    categories: ['porch'],
    original: 'https://social.example/@robin/106100000000000001',
  },
  {
    kind: 'photo',
    name: '',
    text: 'The porch in fog.',
    files: 2,
    categories: [],
    published: '2021-11-14T07:10:00Z',
    original: 'https://social.example/@robin/107300000000000002',
  },
];

/** What a service answers about importing posts from one archive. */
export function importHandlers(): ImportHandlers {
  let items: Result<'posts.imports'>['items'] = [];
  return {
    'posts.import': ({ path, format, dryRun = false, ownExport = false }) => {
      if (path.endsWith('.jpg'))
        throw new PorchlightError('archive_unknown', 'Porchlight can’t import this. Choose an archive.');
      const id = 'import-1';
      const isExport = path.includes('porchlight-export');
      const isBlog = path.includes('wordpress');
      const found = format !== 'auto' ? format : isExport ? 'porchlight' : isBlog ? 'wxr' : 'mastodon';
      const others = { mentions: isExport || isBlog ? 212 : 0, pages: isExport ? 2 : 0 };
      if (!dryRun)
        items = [
          {
            id,
            at: '2026-11-21T08:00:00.000Z',
            path,
            format: found,
            state: 'done',
            posts: 1200,
            files: 118,
            ...others,
            ownExport,
          },
        ];
      return {
        id,
        format: found,
        state: dryRun ? 'checked' : 'done',
        found: 1204,
        imported: dryRun ? 0 : 1200,
        kinds,
        files: 118,
        samples,
        ...others,
        losses: [{ what: 'Write to us', lost: ['the shortcode [contact-form]'] }],
        lossCount: 1,
        skipped: [
          { what: 'media_attachments/files/109/film.avi', why: 'Its type is not accepted.' },
          { what: 'An old test', why: 'It is empty.' },
        ],
        reasons: [
          { why: 'It is empty.', count: 4 },
          { why: 'Its type is not accepted.', count: 1 },
        ],
      };
    },
    'posts.cancelImport': () => ({ cancelled: true }),
    'posts.approveImport': () => ({ approved: 211 }),
    'posts.undoImport': () => {
      items = items.map((item) => ({ ...item, state: 'undone' }));
      return {
        deleted: 1199,
        files: 118,
        mentions: 0,
        pages: 0,
        keptCount: 1,
        kept: [
          {
            what: 'https://porch.marlow.example/posts/2021/05/lamp',
            why: 'You have changed this post since.',
          },
        ],
      };
    },
    'posts.imports': () => ({ items, progress: null }),
  };
}
