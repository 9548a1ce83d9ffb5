"""What `pbsnodes -a` and `qhost` print of machines, in each of their forms."""

import json

PBS = """\
n1
     Mom = n1.site.org
     ntype = PBS
     state = free
     pcpus = 16
     jobs = 12.server/0, 12.server/1
     resources_available.arch = linux
     resources_available.host = n1
     resources_available.mem = 67108863kb
     resources_available.ncpus = 8
     resources_available.ngpus = 2
     resources_assigned.ncpus = 4
     sharing = default_shared

n10
     Mom = n10.site.org
     state = down,offline
     resources_available.host = n10
     resources_available.mem = 64gb
     resources_available.ncpus = 8
     resources_available.ngpus = 2

n2
     Mom = n2.site.org
     state = job-busy
     resources_available.host = n2
     resources_available.mem = 64gb
     resources_available.ncpus = 8
     resources_available.ngpus = 2

gate
     Mom = gate.site.org
     state = free
     resources_available.host = gate
     resources_available.ncpus = 0

big[0]
     Mom = big.site.org
     state = free
     resources_available.host = big
     resources_available.mem = 128gb
     resources_available.ncpus = 32

big[1]
     Mom = big.site.org
     state = free
     resources_available.host = big
     resources_available.mem = 128gb
     resources_available.ncpus = 32
"""
"""OpenPBS: six virtual nodes on five hosts."""

TORQUE = """\
n1.site.org
     state = free
     np = 16
     properties = bigmem,ib
     ntype = cluster
     status = opsys=linux,physmem=65946032kb,availmem=1kb,ncpus=32,gres=,varattr=
     gpus = 1

n2.site.org
     state = down
     np = 16
     ntype = cluster
     gpus = 1
"""

PBS_JSON = json.dumps(
    {
        "timestamp": 1699630815,
        "pbs_version": "2022.1.1",
        "pbs_server": "server",
        "nodes": {
            "n1": {
                "Mom": "n1.site.org",
                "state": "free",
                "pcpus": 64,
                "resources_available": {"host": "n1", "mem": "527672488kb", "ncpus": 64, "ngpus": 4},
                "resources_assigned": {"ncpus": 3},
                "last_used_time": 1699630799,
            },
            "n2": {
                "state": "offline",
                "pcpus": 64,
                "resources_available": {"mem": "527672488kb", "ngpus": 4},
            },
        },
    },
    indent=4,
)

QHOST = """\
HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
----------------------------------------------------------------------------------------------
global                  -               -    -    -    -     -       -       -       -       -
n1                      lx-amd64       40    2   20   40  0.01  188.6G    3.2G    4.0G     0.0
   all.q                BIP   0/5/40
n2                      lx-amd64       40    2   20   40 32.01  188.6G    3.2G    4.0G     0.0
gone                    -               -    -    -    -     -       -       -       -       -
"""

QHOST_OLD = """\
HOSTNAME                ARCH         NCPU  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
-------------------------------------------------------------------------------
global                  -               -     -       -       -       -       -
n1                      lx26-amd64     48  0.38  125.1G    3.0G  128.0G     0.0
n2                      lx26-amd64      4  0.38  512.0M    3.0M  128.0G     0.0
"""


def _host_xml(name: str, cpus: str, ram: str) -> str:
    return (
        f" <host name='{name}'>\n   <hostvalue name='arch_string'>lx-amd64</hostvalue>\n"
        f"   <hostvalue name='num_proc'>{cpus}</hostvalue>\n"
        f"   <hostvalue name='mem_total'>{ram}</hostvalue>\n"
        " </host>\n"
    )


QHOST_XML = (
    "<?xml version='1.0'?>\n<qhost xmlns:xsd=\"http://schemas/qhost.xsd?revision=1.2\">\n"
    + _host_xml("global", "-", "-")
    + _host_xml("n1.site.org", "40", "188.6G")
    + _host_xml("n2.site.org", "40", "188.6G")
    + "</qhost>\n"
)

ALL = (PBS, TORQUE, PBS_JSON, QHOST, QHOST_OLD, QHOST_XML)
