"""A Ray cluster of three nodes in one machine: `python -m tests.faults.cluster DIRECTORY`.

Prints its address and the process ids of its raylets, the head's first; adds a node for each line of its input and
prints the ids again. Ends with its input.
"""

import sys
from typing import Any

from ray.cluster_utils import Cluster

MEMORY = 80 * 1024 * 1024
NODE = {"num_cpus": 1, "object_store_memory": MEMORY, "resources": {"rearview_host": 1}}


def raylets(cluster: Any) -> str:
    nodes = [cluster.head_node, *sorted(cluster.worker_nodes, key=lambda node: node.node_ip_address)]
    found = []
    for node in nodes:
        process = node.all_processes["raylet"][0].process
        if process.poll() is None:
            found.append(process.pid)
    return " ".join(str(pid) for pid in found)


def main(folder: str) -> None:
    head = {"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False, "temp_dir": folder}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        cluster.add_node(**NODE)
    print(cluster.address, raylets(cluster), flush=True)
    for _ in sys.stdin:
        cluster.add_node(**NODE)
        print(cluster.address, raylets(cluster), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
