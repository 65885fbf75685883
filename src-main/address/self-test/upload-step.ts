import { FetchError } from '../../platform/guarded-fetch.ts';
import { secretHash } from '../../platform/secret-text.ts';
import { interrupted, pass, type StepOutcome, type PublicStep, type Talk } from './public-talk.ts';

/** The size of the small test file, in bytes. It exceeds the 1 MiB that proxies commonly allow by default. */
const smallBytes = 1_200_000;
const largeBytes = 20_000_000;
const largeMs = 8000;
/** The largest upload that Cloudflare accepts on its free plan, in bytes. */
const cloudflareBytes = 100_000_000;

/** Creates the step that checks whether a small file, and with `thorough` also a large one, arrives complete. */
export function uploadStep({
  mediaLimitBytes,
  thorough,
}: {
  mediaLimitBytes: number;
  thorough: boolean;
}): PublicStep {
  return {
    id: 'uploads',
    title: 'Apps can upload photos and files',
    problem: 'Large files can’t be uploaded',
    async look(talk) {
      const small = await send(talk, smallBytes);
      if (small.outcome) return small.outcome;
      if (mediaLimitBytes > cloudflareBytes && small.cloudflare) return aboveCloudflare(mediaLimitBytes);
      if (!thorough || mediaLimitBytes < largeBytes)
        return pass(`A file of ${sizeOf(smallBytes)} arrives complete.`);
      try {
        const large = await send(talk, largeBytes, largeMs);
        return large.outcome ?? pass(`A file of ${sizeOf(largeBytes)} arrives complete.`);
      } catch (error) {
        if (!(error instanceof FetchError) || error.code !== 'fetch_timeout') throw error;
        return pass(
          `A file of ${sizeOf(smallBytes)} arrives complete. Your connection is too slow to try ${sizeOf(largeBytes)} in this check.`,
        );
      }
    },
  };
}

async function send(
  talk: Talk,
  bytes: number,
  timeoutMs?: number,
): Promise<{ outcome: StepOutcome | null; cloudflare: boolean }> {
  const body = 'porch-'.repeat(Math.ceil(bytes / 6)).slice(0, bytes);
  const { answer, sight } = await talk.ask({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/octet-stream' },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const cloudflare = answer.headers.get('cf-ray') !== null;
  if (sight?.digest === secretHash(body)) return { outcome: null, cloudflare };
  if (!sight && answer.status !== 413) return { outcome: interrupted(talk, answer), cloudflare };
  return {
    cloudflare,
    outcome: {
      level: 'fail',
      detail: `A file of ${sizeOf(bytes)} doesn’t arrive: your reverse proxy ${sight ? 'cuts it off' : 'says that it is too large'}.`,
      fix: 'Raise the size limit of your reverse proxy (nginx: client_max_body_size) to the file size limit in your settings.',
    },
  };
}

function aboveCloudflare(limit: number): StepOutcome {
  return {
    level: 'warning',
    detail: `Your settings allow files of ${sizeOf(limit)}, but Cloudflare’s free plan accepts at most ${sizeOf(cloudflareBytes)}.`,
    fix: `Set the file size limit in the settings to ${sizeOf(cloudflareBytes)}, so that apps know it.`,
  };
}

function sizeOf(bytes: number): string {
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1_000_000)} MB`;
}
