import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { bridgyFed, hasBridgyFed } from '../../../src-main/contract/posts.ts';
import type { BridgeCheck } from '../../../src-main/contract/reach.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { Findings } from '../setup/findings.tsx';
import { isBridge } from './named-row.ts';
import { bridgeWords as words, postingWords } from './publishing-words.ts';
import { settingId } from './setting-props.ts';
import styles from './settings.module.css';

/** Where an owner enters their site, once. */
const signUp = 'https://fed.brid.gy/web-site';
const about = postingWords.settings.bridge;

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
    <div
      role="group"
      aria-label={about.label}
      id={settingId('posting', 'bridge')}
      tabIndex={-1}
      className={styles.group}
    >
      <Text fw={600} size="sm">
        {about.label}
      </Text>
      <Text c="dimmed" size="xs">
        {about.about}
      </Text>
      <Stack gap={6} mt={6}>
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
    </div>
  );
}

/** What Bridgy Fed needs of the site, and the way there. */
function Checked(): ReactElement {
  const check = useAnswer('setup.checkBridge', {});
  return (
    <div className={styles.group}>
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
    </div>
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
      <Text size="xs" c="dimmed">
        {words.linesAbout}
      </Text>
      <Code block mt={4}>
        {lines}
      </Code>
      <Group mt={6}>
        <CopyButton value={lines} what={words.linesName} named />
      </Group>
    </div>
  );
}
