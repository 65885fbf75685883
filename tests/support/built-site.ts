import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SiteFolderSettings } from '../../src-main/contract/site-folder.ts';

const run = promisify(execFile);

/** Git without the settings of whoever runs the tests, and with a name for commits. */
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@site.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@site.example',
};

/** Runs git in a folder and returns what it prints. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, {
    cwd: folder,
    env: { ...process.env, ...gitEnvironment },
    maxBuffer: 50_000_000,
  });
  return stdout;
}

/** The address of remotes in tests. Porchlight pushes to no folder. */
export const remoteUrl = 'https://git.example/remote.git';

/**
 * Writes an owner's own git configuration, which leads the address of remotes to a place. `dir`: where to write it.
 * Returns the variables with which git reads it.
 */
export async function ownersGit(dir: string, place: string): Promise<{ XDG_CONFIG_HOME: string }> {
  const home = path.join(dir, 'owners-configuration');
  await mkdir(path.join(home, 'git'), { recursive: true });
  await writeFile(path.join(home, 'git/config'), `[url "${place}"]\n\tinsteadOf = ${remoteUrl}\n`);
  return { XDG_CONFIG_HOME: home };
}

const layout = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }}</title>
<link rel="webmention" href="{{ site.Params.porch }}/webmention"></head>
<body>{{ block "main" . }}{{ end }}</body></html>`;
const single = `{{ define "main" }}<article class="h-entry"><h1 class="p-name">{{ .Title }}</h1>
<a class="u-url" href="{{ .Permalink }}"><time class="dt-published" datetime="{{ .Date.Format "2006-01-02T15:04:05Z07:00" }}">then</time></a>
{{ range .Params.inReplyTo }}<a class="u-in-reply-to" href="{{ . }}">a reply</a>{{ end }}
<div class="e-content">{{ .Content }}</div></article>{{ end }}`;
const list = `{{ define "main" }}{{ range site.RegularPages }}<a href="{{ .Permalink }}">{{ .Title }}</a>{{ end }}{{ end }}`;

/** A site of Hugo in a git repository, with a remote from which it is built and served. */
export interface BuiltSite {
  /** The owner's clone. */
  readonly folder: string;
  /** The bare repository to which clones push. */
  readonly remote: string;
  /** The variables with which a Porchlight reaches the remote. */
  readonly environment: Readonly<Record<string, string>>;
  readonly baseUrl: string;
  readonly settings: SiteFolderSettings;
  /** Builds what was pushed. */
  build(): Promise<void>;
  /** Builds whenever something was pushed, until the returned function is called. */
  keepBuilding(): () => Promise<void>;
  /** Another clone of the remote. */
  clone(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes the site. `porch`: the public origin of the Porchlight that receives its mentions. */
export async function makeBuiltSite({ porch = '' } = {}): Promise<BuiltSite> {
  const home = await mkdtemp(path.join(tmpdir(), 'porchlight-site-'));
  const [folder, remote, work] = ['site', 'remote.git', 'work'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    void pageAt(path.join(work, 'public'), name).then((found) => {
      response.writeHead(found ? 200 : 404, { 'content-type': found?.type ?? 'text/html; charset=utf-8' });
      response.end(found?.body ?? '<!doctype html><title>Nothing here</title>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const files = {
    'hugo.toml': `baseURL = '${baseUrl}'\ntitle = 'Ada'\nlanguageCode = 'en'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap']\n[params]\nporch = '${porch}'\n`,
    'layouts/_default/baseof.html': layout,
    'layouts/_default/single.html': single,
    'layouts/_default/list.html': list,
    'content/posts/hello.md': '---\ntitle: "Hello"\ndate: 2020-05-01T10:00:00Z\n---\nThe first post.\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await git(home, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'The site');
  await git(folder, 'remote', 'add', 'origin', remote);
  await git(folder, 'push', '--quiet', '-u', 'origin', 'main');
  await git(folder, 'remote', 'set-url', 'origin', remoteUrl);
  await git(home, 'clone', '--quiet', remote, work);

  async function build(): Promise<void> {
    await git(work, 'fetch', '--quiet', 'origin');
    await git(work, 'reset', '--quiet', '--hard', 'origin/main');
    await run('hugo', ['--quiet', '--cleanDestinationDir'], { cwd: work, maxBuffer: 50_000_000 });
  }

  await build();
  const ends: (() => Promise<void>)[] = [];
  return {
    folder,
    remote,
    environment: await ownersGit(home, remote),
    baseUrl,
    build,
    settings: {
      on: true,
      path: folder,
      generator: 'hugo',
      baseUrl,
      postFile: 'content/posts/{yyyy}-{mm}-{dd}-{slug}.md',
      postUrl: 'posts/{slug}/',
      mediaFile: 'static/media/{yyyy}/{mm}/{file}',
      mediaUrl: 'media/{yyyy}/{mm}/{file}',
      media: 'folder',
      mentions: 'off',
      commit: true,
      push: true,
      branch: 'main',
      remote: 'origin',
      adopt: false,
    },
    keepBuilding() {
      let [isEnding, built] = [false, ''];
      const loop = (async () => {
        while (!isEnding) {
          const tip = await git(remote, 'rev-parse', 'main');
          if (tip !== built) await build();
          built = tip;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
      const stop = async () => {
        isEnding = true;
        await loop;
      };
      ends.push(stop);
      return stop;
    },
    async clone(name) {
      const dir = path.join(home, name);
      await git(home, 'clone', '--quiet', remote, dir);
      return dir;
    },
    async remove() {
      await Promise.all(ends.map((end) => end()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function pageAt(root: string, name: string): Promise<{ body: Buffer; type: string } | undefined> {
  const file = path.join(root, name);
  if (!file.startsWith(root)) return undefined;
  const found = await stat(file).catch(() => undefined);
  const page = found?.isDirectory() ? path.join(file, 'index.html') : file;
  const body = await readFile(page).catch(() => undefined);
  return (
    body && { body, type: page.endsWith('.html') ? 'text/html; charset=utf-8' : 'application/octet-stream' }
  );
}
