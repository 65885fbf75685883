import { CloudflareError } from './cloudflare-error.ts';
import { apiPath, requestCloudflare, type CloudflareAccess } from './cloudflare-request.ts';
import { VerifiedToken, type ApiZone } from './cloudflare-shapes.ts';

/**
 * Checks that the token is currently valid. `zones` lists the domains that the token can access. If the token belongs
 * to an account, the check needs the id of that account, and takes it from the first domain.
 * @throws CloudflareError `cloudflare_token` if the token isn't valid
 */
export async function verifyToken(
  access: CloudflareAccess,
  zones: () => Promise<readonly ApiZone[]>,
): Promise<void> {
  const status = await statusAt(access, '/user/tokens/verify').catch(async (error: unknown) => {
    // The endpoint for a user's tokens doesn't recognize tokens that belong to an account.
    const account = isOfToken(error) ? await accountIn(zones) : undefined;
    if (account === undefined) throw error;
    return await statusAt(access, apiPath`/accounts/${account}/tokens/verify`);
  });
  if (status === 'active') return;
  const problem = status === 'expired' ? 'has expired' : 'is disabled';
  throw new CloudflareError(
    'cloudflare_token',
    `This API token ${problem}. Create a new one at Cloudflare, and paste it.`,
  );
}

async function statusAt(access: CloudflareAccess, path: string): Promise<string> {
  const request = { path, result: VerifiedToken, doing: 'check the API token', permission: null };
  return (await requestCloudflare(access, request)).status;
}

/** Returns the account of the first domain; undefined if the token is invalid or can access no domain. */
async function accountIn(zones: () => Promise<readonly ApiZone[]>): Promise<string | undefined> {
  try {
    return (await zones())[0]?.account.id;
  } catch (error) {
    if (isOfToken(error)) return undefined;
    throw error;
  }
}

const isOfToken = (error: unknown) => error instanceof CloudflareError && error.code === 'cloudflare_token';
