import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { bridgyFed, hasBridgyFed } from '../../../src-main/contract/posts.ts';
import type { BridgeCheck } from '../../../src-main/contract/reach.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { Findings } from '../setup/findings.tsx';
import { isBridge } from './named-rows.tsx';
import { bridgeSetting } from './search.ts';
import { SettingGroup } from './setting-field.tsx';

/** Where an owner enters their site, once. */
const signUp = 'https://fed.brid.gy/web-site';

const words = {
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

/** Makes the owner's site an account in the fediverse and on Bluesky: what that means, and one click. */
export function Bridge({ settings }: { settings: Settings }): ReactElement {
  const { syndicateTo } = settings.micropub;
  const isOn = hasBridgyFed(syndicateTo);
  const save = useAction('settings.update');
  const isPublic = useAnswer('status.get', {}).data?.baseUrl.startsWith('https:') === true;
  const others = syndicateTo.filter((row) => !isBridge(row));
  const turn = (on: boolean) =>
    save.mutate({
      micropub: {
        syndicateTo: on ? [...others, { uid: bridgyFed.uid, name: bridgyFed.name }] : others,
      },
    });
  return (
    <SettingGroup page="posting" name="bridge" words={bridgeSetting}>
      <Stack gap={6}>
        {words.meaning.map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Stack>
      <Group mt="sm">
        {isOn ? (
          <Button variant="default" size="xs" loading={save.isPending} onClick={() => turn(false)}>
            {words.turnOff}
          </Button>
        ) : isPublic && !settings.siteFolder.on ? (
          <Button
            component="a"
            href={signUp}
            target="_blank"
            rel="noopener noreferrer"
            variant="default"
            size="xs"
            onClick={() => turn(true)}
          >
            {words.turnOnAndOpen}
          </Button>
        ) : (
          // The owner's own site needs its redirects first.
          <Button variant="default" size="xs" loading={save.isPending} onClick={() => turn(true)}>
            {words.turnOn}
          </Button>
        )}
      </Group>
      <ErrorNote error={save.error} doing={words.failed} />
      {isOn && <Checked />}
    </SettingGroup>
  );
}

/** What Bridgy Fed needs of the site, and the way there. */
function Checked(): ReactElement {
  const check = useAnswer('setup.checkBridge', {});
  return (
    <Loaded query={check} what={words.loading}>
      {({ site, findings, lines }) => (
        <Stack gap="sm" mt="sm">
          <Text size="sm" className={shared.wrap}>
            <b>{words.isOn}</b>{' '}
            {isReachable(findings) && (
              <>
                {words.accounts(site)} {words.once(site)}{' '}
                <Anchor
                  href={signUp}
                  target="_blank"
                  rel="noopener noreferrer"
                  inherit
                  underline="always"
                  c="inherit"
                >
                  {words.open}
                </Anchor>
              </>
            )}
          </Text>
          <div>
            <Findings findings={findings} fine={words.fine} />
          </div>
          {lines !== null && <Lines lines={lines} />}
          <div>
            <Button
              variant="default"
              size="xs"
              loading={check.isFetching}
              onClick={() => void check.refetch()}
            >
              {words.again}
            </Button>
          </div>
        </Stack>
      )}
    </Loaded>
  );
}

const isReachable = (findings: BridgeCheck['findings']): boolean =>
  findings.every(({ id, level }) => id !== 'bridge.address' || level === 'pass');

function Lines({ lines }: { lines: NonNullable<BridgeCheck['lines']> }): ReactElement {
  return (
    <div>
      <Text size="sm" fw={600}>
        {words.lines}
      </Text>
      <Text size="sm" c="dimmed" mb={6}>
        {words.linesAbout}
      </Text>
      <CodeBlock text={lines} what={words.linesName} />
    </div>
  );
}
