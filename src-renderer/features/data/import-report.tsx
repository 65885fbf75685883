import { Group, List, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import type { ImportReport, ImportSample } from '../../../src-main/contract/post-import.ts';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { exactTime } from '../../ui/time.ts';
import { formatWords, reportWords as words } from './import-words.ts';

/** Shows what an import found, what it skips and how it converts posts. Takes the focus, because it is new. */
export function Report({ report }: { report: ImportReport }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [report]);
  const { format, found, kinds, files, mentions, pages, samples } = report;
  const importable = kinds.reduce((sum, { count }) => sum + count, 0);
  const hasMore = files + mentions + pages > 0;
  return (
    <Stack gap="sm">
      <div>
        <Title order={3} ref={heading} tabIndex={-1}>
          {formatWords[format]}
        </Title>
        <Text>{words.found(found, importable, hasMore)}</Text>
        {(importable > 0 || hasMore) && (
          <Text size="sm" c="dimmed">
            {words.kinds(kinds, { format, files, mentions, pages })}
          </Text>
        )}
      </div>
      <Skipped report={report} />
      <Losses report={report} />
      {samples.length > 0 && (
        <div>
          <Title order={3} size="sm">
            {words.samples}
          </Title>
          <ul className={shared.list}>
            {samples.map((sample, index) => (
              <Sample key={index} sample={sample} />
            ))}
          </ul>
        </div>
      )}
    </Stack>
  );
}

/** Lists why parts of an archive were skipped, and the first of these parts. */
export function Skipped({ report: { reasons, skipped } }: { report: ImportReport }): ReactElement | null {
  if (reasons.length === 0) return null;
  const all = reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <Title order={3} size="sm">
        {words.skipped}
      </Title>
      <List size="sm">
        {reasons.map(({ why, count }) => (
          <List.Item key={why}>
            <Foreign text={words.reason(why, count)} />
          </List.Item>
        ))}
      </List>
      <details>
        <summary>{all > skipped.length ? words.details(skipped.length) : words.allDetails}</summary>
        <List size="sm">
          {skipped.map(({ what, why }, index) => (
            <List.Item key={index}>
              <Foreign text={what} />{' '}
              <Text span c="dimmed" size="sm">
                {why}
              </Text>
            </List.Item>
          ))}
        </List>
      </details>
    </div>
  );
}

/** Names the posts that can't be imported whole, and what each of them loses. */
export function Losses({ report: { losses, lossCount } }: { report: ImportReport }): ReactElement | null {
  if (lossCount === 0) return null;
  return (
    <div>
      <Title order={3} size="sm">
        {words.losses(lossCount)}
      </Title>
      <details>
        <summary>{lossCount > losses.length ? words.firstLosses(losses.length) : words.lossDetails}</summary>
        <List size="sm">
          {losses.map(({ what, lost }, index) => (
            <List.Item key={index}>
              <Foreign text={what} />{' '}
              <Text span c="dimmed" size="sm">
                <Foreign text={lost.join(', ')} />
              </Text>
            </List.Item>
          ))}
        </List>
      </details>
    </div>
  );
}

function Sample({ sample }: { sample: ImportSample }): ReactElement {
  const { kind, name, text, published, categories, files, original } = sample;
  const details = [published === null ? words.noDate : exactTime(published)];
  if (files > 0) details.push(words.files(files));
  if (categories.length > 0) details.push(categories.join(', '));
  return (
    <li className={shared.row}>
      <div className={shared.rowBody}>
        <Group gap="xs" align="baseline">
          <Text fw={600}>{postKinds[kind].name}</Text>
          <Text size="sm" c="dimmed">
            <Foreign text={details.join(' · ')} />
          </Text>
        </Group>
        <Text lineClamp={3}>
          <Foreign text={name === '' ? text : name} fallback={original ?? ''} />
        </Text>
      </div>
    </li>
  );
}
