import type { FastifyInstance } from 'fastify';
import type * as storedPosts from '../../src-main/posts/stored-posts.ts';
import type { OwnerPostStore } from '../../src-main/posts/micropub/owner-post-store.ts';
import type { Post } from '../../src-main/contract/posts.ts';
import type * as publicApp from '../../src-main/http/app.ts';
import type * as keptAnswers from '../../src-main/http/kept-answers.ts';
import type { Source, Versions } from '../../src-main/storage/caches.ts';

/** The parts of the service that was opened last, and who is told of changes. */
export const inside: {
  app?: FastifyInstance;
  posts?: OwnerPostStore;
  versions?: Versions;
  postChanged: (changedPost: { post: Post; before?: Post | undefined }) => Promise<void>;
  sourceChanged: (source: Source) => void;
} = { postChanged: () => Promise.resolve(), sourceChanged: () => undefined };

/** For vi.mock: an app module that remembers the app with all routes. */
export async function rememberApp(original: () => Promise<typeof publicApp>): Promise<typeof publicApp> {
  const module = await original();
  return {
    ...module,
    async buildPublicApp(options) {
      const app = await module.buildPublicApp(options);
      if (options.requireData) inside.app = app;
      return app;
    },
  };
}

/** For vi.mock: a module that remembers the versions of what pages show, and tells of their changes. */
export async function rememberVersions(
  original: () => Promise<typeof keptAnswers>,
): Promise<typeof keptAnswers> {
  const module = await original();
  return {
    ...module,
    keepAnswers(options) {
      const { versions } = options;
      const changed = versions.changed.bind(versions);
      versions.changed = (source) => {
        changed(source);
        inside.sourceChanged(source);
      };
      inside.versions = versions;
      return module.keepAnswers(options);
    },
  };
}

/** For vi.mock: a post store module whose changes are not done before `inside.postChanged` is. */
export async function rememberPosts(
  original: () => Promise<typeof storedPosts>,
): Promise<typeof storedPosts> {
  const module = await original();
  return {
    ...module,
    createPostStore(options) {
      const store = module.createPostStore(options);
      inside.posts = store;

      async function reported(path: string, change: () => Promise<Post>): Promise<Post> {
        const before = await store.get((await store.movedTo(path)) ?? path);
        const post = await change();
        await inside.postChanged({ post, before });
        return post;
      }

      return {
        ...store,
        async create(content, about) {
          const post = await store.create(content, about);
          await inside.postChanged({ post });
          return post;
        },
        change: (path, edit, about) => reported(path, () => store.change(path, edit, about)),
        setDeleted: (path, isDeleted, now, within) =>
          reported(path, () => store.setDeleted(path, isDeleted, now, within)),
        setHome: (path, edit) => reported(path, () => store.setHome(path, edit)),
      };
    },
  };
}
