#!/usr/bin/env python3
"""Writes expected-ranks.json: ranks of a made graph by networkx, and with groups by SciPy's sparse matrices.

Debian: apt-get install python3-networkx python3-scipy; then /usr/bin/python3 expected-ranks.py > expected-ranks.json
The graph is made by the generator of link-rank.test.ts; both must stay the same.
"""
import json
import networkx as nx
import numpy as np
from scipy.sparse import csr_matrix

NODES, LINKS, STEP, OWN = 100_000, 600_000, 997, 0.25


def made_links():
    state = 20_261_130

    def below(bound):
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 8) % bound

    links = set()
    for _ in range(LINKS):
        # A fifth of the nodes has no link; the lower a number, the more links lead to it.
        source = below(NODES)
        target = below(below(below(NODES) + 1) + 1)
        if source % 5 != 4 and source != target:
            links.add((source, target))
    return sorted(links)


def group_of(node):
    return node * node % 499


SIZES = np.bincount([group_of(node) for node in range(NODES)])


def received_share(k, source, target):
    n = SIZES[group_of(source)]
    return np.sqrt(k * np.log(1 + n / k) / np.log(1 + n)) / k if k > 1 else 1


def given_share(k, source, target):
    return np.sqrt(k) / k


def grouped(links, key_of, share):
    """Row: target, column: source; links with the same key share what they weigh."""
    counts = {}
    for link in links:
        counts[key_of(*link)] = counts.get(key_of(*link), 0) + 1
    weights = []
    for source, target in links:
        k = counts[key_of(source, target)]
        own = OWN if group_of(source) == group_of(target) else 1
        weights.append(own * share(k, source, target))
    rows, cols = np.array([t for _, t in links]), np.array([s for s, _ in links])
    return csr_matrix((weights, (rows, cols)), shape=(NODES, NODES))


def grouped_ranks(matrix, degrees, damping=0.85):
    ranks = np.ones(NODES)
    idle = degrees == 0
    for _ in range(400):
        received = matrix @ np.where(idle, 0, ranks / np.maximum(degrees, 1))
        before = ranks
        ranks = 1 - damping + damping * (received + (NODES - received.sum()) / NODES)
    scale = before[~idle].sum() / received.sum()
    return 1 - damping + damping * (scale * received + before[idle].sum() / NODES)


def grouped_hits(incoming, outgoing):
    hubs = np.ones(NODES)
    for _ in range(400):
        authorities = incoming @ hubs
        authorities *= NODES / authorities.sum()
        hubs = outgoing.T @ authorities
        hubs *= NODES / hubs.sum()
    return hubs, authorities


def main():
    links = made_links()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from(links)
    plain = nx.pagerank(graph, alpha=0.85, max_iter=1000, tol=1e-14)
    hubs, authorities = nx.hits(graph, max_iter=100_000, tol=1e-12)
    degrees = np.bincount([s for s, _ in links], minlength=NODES)
    matrix = grouped(links, lambda source, target: (group_of(source), target), received_share)
    outgoing = grouped(links, lambda source, target: (source, group_of(target)), given_share)
    group_hubs, group_authorities = grouped_hits(matrix, outgoing)
    columns = {
        "pageRank": [plain[i] * NODES for i in range(NODES)],
        "hubs": [hubs[i] * NODES for i in range(NODES)],
        "authorities": [authorities[i] * NODES for i in range(NODES)],
        "groupedPageRank": grouped_ranks(matrix, degrees),
        "groupedHubs": group_hubs,
        "groupedAuthorities": group_authorities,
    }
    best = {name: [int(i) for i in np.argsort(-np.asarray(values), kind="stable")[:20]] for name, values in columns.items()}
    sampled = {name: [float(f"{values[i]:.10g}") for i in range(0, NODES, STEP)] for name, values in columns.items()}
    print(json.dumps({"nodes": NODES, "links": len(links), "step": STEP, "sampled": sampled, "best": best}))


main()
