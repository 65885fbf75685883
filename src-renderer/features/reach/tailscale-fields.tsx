import { Button, Group, List, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Tailscale } from '../../../src-main/contract/reach.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Loaded, WarningNote } from '../../ui/states.tsx';
import type { ReachChoice } from './use-reach-choice.ts';
import { tailscaleWords as words } from './words.ts';

interface Props {
  readonly choice: ReachChoice;
  readonly port: number;
}

/** Says whether Tailscale is installed, and asks for Funnel's address, which is filled in if Tailscale tells it. */
export function TailscaleFields({ choice, port }: Props): ReactElement {
  const { tailscale, shown, problems, funnel, startsFunnel, change } = choice;
  return (
    <>
      <Group gap="sm" role="status">
        <Text className={shared.wrap}>
          <Loaded query={tailscale} what={words.reading}>
            {(found) => `${sentenceOf(found)}${startsFunnel ? ` ${words.starts}` : ''}`}
          </Loaded>
        </Text>
        {tailscale.data && tailscale.data.state !== 'running' && (
          <Button
            size="xs"
            variant="default"
            loading={tailscale.isFetching}
            onClick={() => void tailscale.refetch()}
          >
            {words.again}
          </Button>
        )}
      </Group>
      <TextInput
        label={words.label}
        placeholder={words.placeholder}
        type="url"
        maxLength={2048}
        value={shown.funnelUrl}
        error={problems.funnelUrl}
        onChange={(event) => change({ funnelUrl: event.currentTarget.value })}
      />
      <div role="status" className={shared.outcome}>
        {funnel.data?.state === 'consent' && (
          <WarningNote>
            {words.consent}{' '}
            <a href={funnel.data.url} target="_blank" rel="noopener noreferrer" className={shared.outside}>
              {words.consentLink}
            </a>
            . {words.consentThen}
          </WarningNote>
        )}
        {funnel.error && (
          <WarningNote>
            <b>{words.failed}</b> <Foreign text={funnel.error.message} /> {words.failedHelp}
          </WarningNote>
        )}
      </div>
      <details open={funnel.error !== null || undefined}>
        <summary>{words.heading}</summary>
        <List type="ordered" mt="sm" spacing="sm">
          <List.Item>
            {words.publish}
            <CodeBlock text={words.publishCommand(port)} what={words.publishName} />
          </List.Item>
          <List.Item>
            {words.show}
            <CodeBlock text={words.showCommand} what={words.showName} />
          </List.Item>
        </List>
      </details>
    </>
  );
}

function sentenceOf({ state, name }: Tailscale): string {
  if (state !== 'running') return words[state];
  return name === null ? words.nameless : words.running(name);
}
