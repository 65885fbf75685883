// Installs what is missing, then runs scripts on the pinned Node:
//   node scripts/bootstrap.mjs [--then SCRIPT]... [ARGUMENTS of the last script]
// Runs on any Node from 18 on, before anything is installed: plain JavaScript, no packages. What it says goes to
// stderr, so that stdout belongs to the scripts. It starts them itself, because a shell that has once looked up `node`
// would go on with the machine's own, and because a shell between npm and the app would keep signals for itself.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const isWindows = process.platform === 'win32';
const pinnedNode = join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node');
const keytar = join(modules, 'keytar', 'build', 'Release', 'keytar.node');
const lockFile = join(root, 'package-lock.json');
const stampFile = join(modules, '.porchlight-stamp');

if (!isInstalled()) await install();
const { scripts, rest } = readArguments(process.argv.slice(2));
for (const [index, script] of scripts.entries()) {
  const code = await run(script, index === scripts.length - 1 ? rest : []);
  if (code !== 0) process.exit(code);
}

function isInstalled() {
  return existsSync(pinnedNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp();
}

function stamp() {
  const source = existsSync(lockFile) ? lockFile : join(root, 'package.json');
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}\n`;
}

async function install() {
  say('Installing what Porchlight needs (only now and after updates) ...');
  // Windows does not let a running program be deleted, which `npm ci` would do where Node itself comes from there.
  const isOwnNode = process.execPath.startsWith(modules + sep);
  const command = existsSync(lockFile) && !(isWindows && isOwnNode) ? 'ci' : 'install';
  const node = isOwnNode && !isWindows ? copyOfThisNode() : process.execPath;
  const installed = await npm(node, command, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error');
  if (installed !== 0) giveUp(`npm ${command}`, installed);
  // .npmrc forbids install scripts. These two need theirs: one fetches the pinned Node, one copies its own binary.
  const rebuilt = await npm(node, 'rebuild', 'node', 'keytar', '--ignore-scripts=false', '--loglevel=error');
  const works = spawnSync(pinnedNode, ['--version'], { stdio: 'ignore' }).status === 0;
  if (!works) giveUp('npm rebuild node', rebuilt);
  if (!existsSync(keytar))
    say('The keychain module could not be installed. Porchlight will keep its secrets in a file.');
  removeHeaders();
  writeFileSync(stampFile, stamp());
}

/** The pinned Node comes with 67 MB of C headers, which nothing here compiles against. */
function removeHeaders() {
  const packages = join(modules, 'node', 'node_modules');
  const names = existsSync(packages) ? readdirSync(packages) : [];
  for (const name of names.filter((one) => one.startsWith('node-')))
    rmSync(join(packages, name, 'include'), { recursive: true, force: true });
}

/** After an update npm runs this on the pinned Node of last time, which `npm ci` deletes: a copy of it goes on. */
function copyOfThisNode() {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-node-'));
  const file = join(folder, 'node');
  copyFileSync(process.execPath, file);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return file;
}

/** Runs npm on this Node with all its output on stderr; tells its exit code. Ends with it where it is ended by a signal. */
async function npm(node, ...args) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const cli = process.env.npm_execpath ?? '';
  const child =
    basename(cli) === 'npm-cli.js'
      ? spawn(node, [cli, ...args], options)
      : spawn(isWindows ? 'npm.cmd' : 'npm', args, { ...options, shell: isWindows });
  const { code, wasTold } = await endOf(child, 'npm');
  if (wasTold) process.exit(code === 0 ? 1 : code);
  return code;
}

function giveUp(command, code) {
  say('');
  say(`Porchlight could not install what it needs: "${command}" failed with exit code ${code}.`);
  say(
    'If this computer is offline, connect it and run the same command again. If you use a proxy or your own',
  );
  say(
    'registry, set it with "npm config set proxy" or "npm config set registry" first. See npm’s messages above.',
  );
  process.exit(1);
}

function readArguments(args) {
  const scripts = [];
  let rest = args;
  while (rest[0] === '--then' && rest[1] !== undefined) {
    scripts.push(rest[1]);
    rest = rest.slice(2);
  }
  return { scripts, rest };
}

/** Runs one script to its end, handing on signals; tells its exit code. */
function run(script, args) {
  const path = `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(pinnedNode, [join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  return endOf(child, script).then(({ code }) => code);
}

/** Waits for the end of a program, handing on signals; tells its exit code, and whether a signal was handed on. */
function endOf(child, name) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  let wasTold = false;
  const handOn = (signal) => {
    wasTold = true;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, handOn);
  const stopWatching = whenOrphaned(() => handOn('SIGTERM'));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      say(`${name} could not be started: ${error.message}`);
      resolve({ code: 1, wasTold });
    });
    child.once('close', (code, signal) => {
      stopWatching();
      for (const one of signals) process.off(one, handOn);
      resolve({ code: code ?? 128 + constants.signals[signal], wasTold });
    });
  });
}

/** A signal to npm may end npm and never arrive here: then what npm started has to end too. */
function whenOrphaned(notify) {
  if (isWindows || !process.env.npm_lifecycle_event) return () => undefined;
  const parent = process.ppid;
  // npm starts scripts with a shell, which may outlive it.
  const npm = isScriptShell(parent) ? parentOf(parent) : undefined;
  const watch = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || parentOf(parent) === npm)) return;
    clearInterval(watch);
    notify();
  }, 250);
  return () => clearInterval(watch);
}

function isScriptShell(pid) {
  return readFileOf(pid, 'cmdline').split('\0').includes('-c');
}

/** Tells the parent of a process, where the system has /proc. It comes after the name, which may contain anything. */
function parentOf(pid) {
  return readFileOf(pid, 'stat').split(') ').at(-1)?.split(' ')[1];
}

function readFileOf(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function say(words) {
  process.stderr.write(`${words}\n`);
}
